/** The progress lines of the complete suite. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { progress } from '../../scripts/requirements/progress.ts';
import { runTests } from '../../scripts/requirements/run-tests.ts';

const config = new URL('./fixtures/vitest.config.ts', import.meta.url).pathname;
const SCRIPT = new URL('../../scripts/check-requirements.ts', import.meta.url).pathname;

/** The progress lines while two files run, with a tick in between. */
function progressLines(isTerminal: boolean): readonly string[] {
  const texts: string[] = [];
  let now = 1_000;
  const { started, ended, tick } = progress(3, { write: (text) => texts.push(text), nowMs: () => now, isTerminal });
  const at = (ms: number, act: () => void): void => {
    now = 1_000 + ms;
    act();
  };
  at(0, () => started('a.test.ts'));
  at(0, () => started('b.test.ts'));
  at(100, () => ended('b.test.ts'));
  at(6_000, tick);
  at(7_000, tick);
  at(8_000, () => started('c.test.ts'));
  at(12_400, () => ended('a.test.ts'));
  at(12_600, () => ended('c.test.ts'));
  return texts;
}

test('writes a line to a log every few seconds, whether or not a file has ended, and a last one', () => {
  expect(progressLines(false)).toEqual([
    'running 3 test files\n',
    '1/3 6 s a.test.ts\n',
    '2/3 12 s c.test.ts\n',
    '3/3 13 s\n',
  ]);
});

test('updates one line on a terminal and keeps the last', () => {
  expect(progressLines(true).slice(1)).toEqual([
    '\r\u001b[2K1/3 0 s a.test.ts',
    '\r\u001b[2K1/3 6 s a.test.ts',
    '\r\u001b[2K1/3 7 s a.test.ts',
    '\r\u001b[2K2/3 12 s c.test.ts',
    '\r\u001b[2K3/3 13 s\n',
  ]);
});

test('a real run writes progress separately from its output', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-progress-'));
  try {
    const file = join(dir, 'progress.txt');
    const { output } = runTests(['--config', config], { progressTo: openSync(file, 'w') });
    expect(readFileSync(file, 'utf8')).toMatch(/^running 1 test files\n(0\/1 \d+ s .*\n)*1\/1 \d+ s\n$/);
    expect(output).not.toContain('running 1 test files');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('with --json the last line of stdout is the result, and a missing report is a one-line error', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-report-'));
  try {
    const file = join(dir, 'report.json');
    const check = (): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, [SCRIPT, '--json', '--report', file], { encoding: 'utf8' });
    const none = check();
    const message = `npm run requirements: ${file} is not a report; write one with AMBIT_TEST_REPORT=${file} npm test\n`;
    expect([none.status, none.stdout, none.stderr]).toEqual([2, '', message]);
    writeFileSync(file, JSON.stringify({ passed: 0, failed: 0, skipped: 0, broken: [], citations: [] }));
    const empty = check();
    const last: unknown = JSON.parse(String(empty.stdout).trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ cited: 0, pending: expect.arrayContaining(['approval:destructive:no-bypass']) });
    expect(empty.stderr).toBe('');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
