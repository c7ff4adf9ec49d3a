/** `node scripts/print-summary.ts FILE`: the result of a test run in one plain line. */
import { readReport } from './requirements/run-tests.ts';
import { summaryLine } from './requirements/summary.ts';

console.log(summaryLine(readReport(process.argv[2] ?? '')));
