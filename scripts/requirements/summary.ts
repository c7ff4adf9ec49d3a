import type { Report } from './report.ts';

/** The run in one plain line. An error outside any test counts as a failure: the run is not green. */
export function summaryLine(report: Report | null): string {
  if (report === null) return '0 passed, 1 failed';
  const { passed, failed, skipped, broken } = report;
  const line = `${passed} passed, ${failed + broken.length} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
