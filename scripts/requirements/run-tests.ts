import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPORT_VARIABLE, type Report } from './report.ts';

const VITEST = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;

/** Runs vitest once and returns its report. `output` is what vitest printed, empty when it went to the terminal. */
export function runTests(
  args: readonly string[],
  options: { readonly quiet: boolean },
): { readonly report: Report | null; readonly output: string } {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-report-'));
  try {
    const file = join(dir, 'report.json');
    const { stdout, stderr } = spawnSync(process.execPath, [VITEST, 'run', ...args], {
      encoding: 'utf8',
      env: { ...process.env, [REPORT_VARIABLE]: file },
      stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit'],
      maxBuffer: 256 * 1024 * 1024,
    });
    return { report: readReport(file), output: `${stdout ?? ''}${stderr ?? ''}` };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Null when there is no report: the run died before it could write one. */
export function readReport(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
