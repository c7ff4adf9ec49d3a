import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRESS_VARIABLE, REPORT_VARIABLE, type Report } from './report.ts';

const VITEST = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;

/** Where the child finds what it tells its progress to: after its input, its output and its errors. */
const PROGRESS_FD = 3;

/**
 * Runs vitest once and returns its report. What vitest printed is kept in `output`; how far it is goes to the open file
 * `progressTo`, if there is one, while it runs.
 */
export function runTests(
  args: readonly string[],
  options: { readonly progressTo?: number } = {},
): { readonly report: Report | null; readonly output: string } {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-report-'));
  try {
    const file = join(dir, 'report.json');
    const { stdout, stderr } = spawnSync(process.execPath, [VITEST, 'run', ...args], {
      encoding: 'utf8',
      env: {
        ...process.env,
        [REPORT_VARIABLE]: file,
        [PROGRESS_VARIABLE]: options.progressTo === undefined ? '' : String(PROGRESS_FD),
      },
      stdio: ['ignore', 'pipe', 'pipe', options.progressTo ?? 'ignore'],
      maxBuffer: 256 * 1024 * 1024,
    });
    return { report: readReport(file), output: `${stdout}${stderr}` };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Null when there is no report: the run died before it could write one, or the file is something else. */
export function readReport(file: string): Report | null {
  try {
    const read: Partial<Report> | null = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(read?.citations) && Array.isArray(read.broken) ? (read as Report) : null;
  } catch {
    return null;
  }
}
