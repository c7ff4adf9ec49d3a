/** `node scripts/print-summary.ts FILE…`: prints the result of one or more test runs in one line. */
import { readReports } from './requirements/run-tests.ts';
import { summaryLine } from './requirements/summary.ts';

const files = process.argv.slice(2);
console.log(summaryLine(files.length === 0 ? null : readReports(files)));
