import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addReports, EMPTY_REPORT, PROGRESS_VARIABLE, REPORT_VARIABLE, type Report } from './report.ts';

const VITEST = new URL('../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;

/** The child's file descriptor for progress, after stdin, stdout and stderr. */
const PROGRESS_FD = 3;

/**
 * Runs vitest once and returns its report and its output. Progress is written to the file descriptor `progressTo`, if
 * there is one.
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

/** The reports of several runs as one; null if one of them is missing. */
export function readReports(files: readonly string[]): Report | null {
  const reports = files.map(readReport);
  return reports.reduce((all, next) => all && next && addReports(all, next), EMPTY_REPORT);
}

/** Null if the run died before it could write a report, or if the file is not a report. */
function readReport(file: string): Report | null {
  try {
    const read: Partial<Report> | null = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(read?.citations) && Array.isArray(read.broken) ? (read as Report) : null;
  } catch {
    return null;
  }
}
