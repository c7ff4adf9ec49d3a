/** `npm run requirements` refuses shorter lists of proofs, in a project of its own with a git history. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Citation, Report } from '../../scripts/requirements/report.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const A = 'approval:destructive:no-bypass';
const B = 'approval:evidence:frozen-snapshot';
const C = 'approval:mode:delegated-three-phase';
const cite = (id: string, title: string): Citation => ({
  ids: [id],
  test: `a.test.ts > ${title}`,
  state: 'passed',
  matchers: 1,
});

interface Project {
  readonly write: (list: 'proven.txt' | 'citing-tests.txt', lines: readonly string[]) => void;
  readonly read: (list: 'proven.txt' | 'citing-tests.txt') => readonly string[];
  readonly commit: () => void;
  /** The exit code of `npm run requirements` and its faults. */
  readonly check: (
    citations: readonly Citation[],
    ...options: readonly string[]
  ) => readonly [number | null, ...string[]];
}

function makeProject(): Project {
  const dir = mkdtempSync(join(tmpdir(), 'ambit-requirements-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const listAt = (list: string): string => join(dir, 'test/requirements', list);
  const run = (command: string, ...args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(command, args, { cwd: dir, encoding: 'utf8' });
  mkdirSync(join(dir, 'test/requirements'), { recursive: true });
  for (const path of ['scripts', 'package.json', 'test/requirements.jsonl'])
    cpSync(join(ROOT, path), join(dir, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  run('git', 'init', '--quiet');
  return {
    write: (list, lines) => writeFileSync(listAt(list), lines.map((line) => `${line}\n`).join('')),
    read: (list) => readFileSync(listAt(list), 'utf8').trimEnd().split('\n'),
    commit: () => {
      run('git', 'add', 'test');
      const { status } = run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'lists');
      expect(status).toBe(0);
    },
    check: (citations, ...options) => {
      const report: Report = { passed: citations.length, failed: 0, skipped: 0, broken: [], citations };
      writeFileSync(join(dir, 'report.json'), JSON.stringify(report));
      const args = ['scripts/check-requirements.ts', '--report', 'report.json', ...options];
      const { status, stdout } = run(process.execPath, ...args);
      return [
        status,
        ...String(stdout)
          .split('\n')
          .filter((line) => line.startsWith('fault: ')),
      ];
    },
  };
}

test('a line that was removed from the list of proven ids is a fault, whether or not the removal is committed', () => {
  const { write, commit, check } = makeProject();
  write('proven.txt', [A, B]);
  write('citing-tests.txt', [`${A} 1`, `${B} 1`]);
  const citations = [cite(A, 'a'), cite(B, 'b')];
  expect(check(citations)).toEqual([0]);
  commit();
  expect(check(citations)).toEqual([0]);
  write('proven.txt', [A]);
  const fault = `fault: "${B}" was removed from test/requirements/proven.txt; restore its line`;
  expect(check(citations)).toEqual([1, fault]);
  commit();
  expect(check(citations)).toEqual([1, fault]);
});

test('--update adds ids and higher numbers, and a lower number of citing tests stays a fault', () => {
  const { write, read, check } = makeProject();
  write('proven.txt', [A, C]);
  write('citing-tests.txt', [`${A} 2`, `${C} 1`]);
  const fault = `fault: "${A}" had 2 citing tests and has 1; restore the test, or lower the number in test/requirements/citing-tests.txt`;
  const citations = [cite(A, 'a'), cite(B, 'b'), cite(C, 'c'), cite(C, 'd')];
  expect(check(citations, '--update')).toEqual([1, fault]);
  expect(read('proven.txt')).toEqual([A, B, C]);
  expect(read('citing-tests.txt')).toEqual([`${A} 2`, `${B} 1`, `${C} 2`]);
  write('citing-tests.txt', [`${A} 1`, `${B} 1`, `${C} 2`]);
  expect(check(citations)).toEqual([0]);
});
