/**
 * `npm run verify [-- --report FILE …]`: everything a change must pass. Each check runs once, and the end names every
 * failed check.
 *
 * Both test tiers run once; their reports also serve the requirements check. With `--report` the tiers have just run
 * and do not run again.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf } from './command-line/read-options.ts';
import { REPORT_VARIABLE } from './requirements/report.ts';
import { readReports } from './requirements/run-tests.ts';
import { summaryLine } from './requirements/summary.ts';

const HELP = `Runs everything a change must pass, each check once, and names every failed check at the end.

Usage: npm run verify [-- options]

  --report FILE   the report of a test tier that has just run; give one per tier, and no test runs again
  --help          this page

Examples:
  npm run verify
  AMBIT_TEST_REPORT=/tmp/quick.json npm test; AMBIT_TEST_REPORT=/tmp/deep.json npm run test:deep
  npm run verify -- --report /tmp/quick.json --report /tmp/deep.json`;

/** The npm scripts that run tests: the quick tier and the deep tier. */
const TIERS = ['test', 'test:deep'] as const;

interface Step {
  /** The npm script. */
  readonly name: string;
  readonly args?: readonly string[];
  /** The file that a test tier writes its report to. */
  readonly report?: string;
}

const options = optionsOf({
  name: 'npm run verify',
  help: HELP,
  flags: { report: { type: 'string', multiple: true } },
});
const dir = mkdtempSync(join(tmpdir(), 'ambit-verify-'));
const tests: readonly Step[] =
  options.report === undefined ? TIERS.map((name, at) => ({ name, report: join(dir, `${at}.json`) })) : [];
const reports = options.report ?? tests.flatMap(({ report }) => report ?? []);

const STEPS: readonly Step[] = [
  { name: 'check:style' },
  { name: 'check:house' },
  { name: 'check:types' },
  ...tests,
  { name: 'requirements', args: reports.flatMap((report) => ['--report', report]) },
  { name: 'mutants', args: ['--sample', '25'] },
  { name: 'check:unused' },
  { name: 'build' },
  { name: 'check:package' },
];

try {
  const failed = STEPS.filter((step) => !passes(step)).map(({ name }) => name);
  const result = readReports(reports);
  const isGreen = failed.length === 0 && result !== null && result.failed === 0 && result.broken.length === 0;
  console.log(failed.length === 0 ? '\nverify: all checks pass' : `\nverify: failed: ${failed.join(', ')}`);
  console.log(summaryLine(result));
  process.exitCode = isGreen ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true });
}

function passes({ name, args = [], report = '' }: Step): boolean {
  console.log(`\n── ${name}`);
  const { status } = spawnSync('npm', ['run', '--silent', name, '--', ...args], {
    env: { ...process.env, [REPORT_VARIABLE]: report },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
