/** The reports of both test tiers count as one. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EMPTY_REPORT, type Report } from '../../scripts/requirements/report.ts';
import { readReports } from '../../scripts/requirements/run-tests.ts';
import { summaryLine } from '../../scripts/requirements/summary.ts';

const ID = 'approval:destructive:no-bypass';
const OTHER = 'approval:evidence:frozen-snapshot';
const QUICK: Report = {
  passed: 3,
  failed: 0,
  skipped: 1,
  broken: [],
  citations: [{ ids: [ID], test: 'a.test.ts > a', state: 'passed', matchers: 1 }],
};
const DEEP: Report = {
  passed: 2,
  failed: 1,
  skipped: 0,
  broken: ['b.deep.test.ts: cannot be loaded'],
  citations: [{ ids: [OTHER], test: 'a.deep.test.ts > a', state: 'passed', matchers: 1 }],
};

function written(...reports: readonly Report[]): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-reports-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return reports.map((report, at) => {
    const file = join(dir, `${at}.json`);
    writeFileSync(file, JSON.stringify(report));
    return file;
  });
}

function run(script: string, ...args: readonly string[]): { readonly status: number | null; readonly last: string } {
  const path = new URL(`../../scripts/${script}`, import.meta.url).pathname;
  const { status, stdout } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  return { status, last: stdout.trimEnd().split('\n').at(-1) ?? '' };
}

test('adds up the counts, errors and citations of all tiers', () => {
  const report = readReports(written(QUICK, DEEP));
  expect(report).toEqual({
    passed: 5,
    failed: 1,
    skipped: 1,
    broken: DEEP.broken,
    citations: [...QUICK.citations, ...DEEP.citations],
  });
  expect(summaryLine(report)).toBe('5 passed, 2 failed, 1 skipped');
  expect(readReports([])).toEqual(EMPTY_REPORT);
});

test('fails if the report of one tier is missing', () => {
  expect(readReports([...written(QUICK), 'no-such-file.json'])).toBeNull();
  expect(summaryLine(null)).toBe('0 passed, 1 failed');
});

test('the summary and the requirements take one report per tier', () => {
  const files = written(QUICK, DEEP);
  expect(run('print-summary.ts', ...files)).toEqual({ status: 0, last: '5 passed, 2 failed, 1 skipped' });
  expect(run('print-summary.ts')).toEqual({ status: 0, last: '0 passed, 1 failed' });
  const { last } = run('check-requirements.ts', '--json', ...files.flatMap((file) => ['--report', file]));
  expect(JSON.parse(last)).toMatchObject({ cited: 2 });
});
