/**
 * `npm run verify [-- --report FILE]`: everything a change must pass, each check once, every broken one named.
 *
 * The suite runs once and its report serves the requirements too. With `--report` the run has just taken place and is
 * not repeated.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf } from './command-line/read-options.ts';
import { REPORT_VARIABLE } from './requirements/report.ts';
import { readReport } from './requirements/run-tests.ts';
import { summaryLine } from './requirements/summary.ts';

const HELP = `Runs everything a change must pass, each check once, and names every broken one at the end.

Usage: npm run verify [-- options]

  --report FILE   the suite has just run and left its report here: it is not run again
  --help          this page

Examples:
  npm run verify
  AMBIT_TEST_REPORT=/tmp/report.json npm test; npm run verify -- --report /tmp/report.json`;

const options = optionsOf({ name: 'npm run verify', help: HELP, flags: { report: { type: 'string' } } });
const dir = mkdtempSync(join(tmpdir(), 'ambit-verify-'));
const report = options.report ?? join(dir, 'report.json');

const STEPS: readonly (readonly string[])[] = [
  ['check:style'],
  ['check:walls'],
  ['check:types'],
  ...(options.report === undefined ? [['test']] : []),
  ['requirements', '--report', report],
  ['check:unused'],
  ['build'],
  ['check:package'],
];

try {
  const broken = STEPS.filter((step) => !passes(step)).map(([name]) => name);
  const result = readReport(report);
  const isGreen = broken.length === 0 && result !== null && result.failed === 0 && result.broken.length === 0;
  console.log(broken.length === 0 ? '\nverify: all checks pass' : `\nverify: broken: ${broken.join(', ')}`);
  console.log(summaryLine(result));
  process.exitCode = isGreen ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true });
}

function passes([name = '', ...args]: readonly string[]): boolean {
  console.log(`\n── ${name}`);
  const env = { ...process.env, [REPORT_VARIABLE]: name === 'test' ? report : '' };
  const { status } = spawnSync('npm', ['run', '--silent', name, '--', ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
