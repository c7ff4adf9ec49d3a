import type { Report } from './report.ts';

/** The result of a run in one line. An error outside any test counts as a failure. */
export function summaryLine(report: Report | null): string {
  if (report === null) return '0 passed, 1 failed';
  const { passed, failed, skipped, broken } = report;
  const line = `${passed} passed, ${failed + broken.length} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
