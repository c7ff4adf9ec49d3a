/** An answer loses its process at every append: no user sees two versions of a sentence, and the next process continues. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from './run-process.ts';

const SCRIPT = new URL('./answer-process.ts', import.meta.url).pathname;
const APPENDS = 6;

const run = (...args: readonly string[]) => spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });

function shown(folder: string, name: string): string {
  const file = join(folder, `${name}.txt`);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const POINTS = Array.from({ length: APPENDS }, (_, at) => at + 1).flatMap((append): readonly [number, string][] => [
  [append, 'before'],
  [append, 'after'],
]);

test('the process of the sweep appends as often as the sweep assumes', () => {
  const { stdout } = run(freshFolder(), 'first', '0');
  expect(JSON.parse(stdout)).toMatchObject({ terminalCode: 'SUCCESS', sentences: 3, appends: APPENDS });
});

test.each(POINTS)('a process that dies at append %i, %s it is stored', { timeout: 60_000 }, (append, moment) => {
  const folder = freshFolder();
  expect(run(folder, 'first', String(append), moment).signal).toBe('SIGKILL');
  const { stdout, stderr } = run(folder, 'second', '0');
  expect(stderr).toBe('');
  const { terminalCode, text } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>;
  expect(terminalCode).toBe('SUCCESS');
  expect(shown(folder, 'second')).toBe(text);
  const before = shown(folder, 'first');
  expect(text?.slice(0, before.length)).toBe(before);
});
