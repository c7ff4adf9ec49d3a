/** Whoever waits for the whole suite sees how far it is. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { progress } from '../../scripts/requirements/progress.ts';
import { runTests } from '../../scripts/requirements/run-tests.ts';

const config = new URL('./fixtures/vitest.config.ts', import.meta.url).pathname;
const SCRIPT = new URL('../../scripts/check-requirements.ts', import.meta.url).pathname;

function told(isTerminal: boolean, files: readonly (readonly [file: string, atMs: number])[]): readonly string[] {
  const texts: string[] = [];
  let now = 1_000;
  const { ended } = progress(files.length, { write: (text) => texts.push(text), nowMs: () => now, isTerminal });
  for (const [file, atMs] of files) {
    now = 1_000 + atMs;
    ended(file);
  }
  return texts;
}

const FILES = [
  ['a.test.ts', 100],
  ['b.test.ts', 6_000],
  ['c.test.ts', 7_000],
  ['d.test.ts', 8_400],
] as const;

test('a log gets a line every few seconds, and the last', () => {
  expect(told(false, FILES)).toEqual([
    'running the whole suite: 4 test files\n',
    '2/4 6 s b.test.ts\n',
    '4/4 8 s d.test.ts\n',
  ]);
});

test('a terminal gets one line that changes, and keeps the last', () => {
  expect(told(true, FILES).slice(1)).toEqual([
    '\r\u001b[2K1/4 0 s a.test.ts',
    '\r\u001b[2K2/4 6 s b.test.ts',
    '\r\u001b[2K3/4 7 s c.test.ts',
    '\r\u001b[2K4/4 8 s d.test.ts\n',
  ]);
});

test('a real run tells it while its own output is kept apart', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-progress-'));
  try {
    const file = join(dir, 'progress.txt');
    const { output } = runTests(['--config', config], { progressTo: openSync(file, 'w') });
    expect(readFileSync(file, 'utf8')).toMatch(
      /^running the whole suite: 1 test files\n1\/1 \d+ s .*citing\.case\.ts\n$/,
    );
    expect(output).not.toContain('running the whole suite');
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test('with --json the last line of stdout is the result; a report that is not there is one line', () => {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-report-'));
  try {
    const file = join(dir, 'report.json');
    const check = (): ReturnType<typeof spawnSync> =>
      spawnSync(process.execPath, [SCRIPT, '--json', '--report', file], { encoding: 'utf8' });
    const none = check();
    expect([none.status, none.stdout, none.stderr]).toEqual([1, '', `requirements: ${file} holds no report\n`]);
    writeFileSync(file, JSON.stringify({ passed: 0, failed: 0, skipped: 0, broken: [], citations: [] }));
    const empty = check();
    const last: unknown = JSON.parse(String(empty.stdout).trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ cited: 0, pending: expect.arrayContaining(['approval:destructive:no-bypass']) });
    expect(empty.stderr).toBe('');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
