/** `npm run check:answers` as a user runs it: its last line, and the share of provable sentences in shipped scripts. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;

function lastLine(...options: readonly string[]): Readonly<Record<string, unknown>> {
  const args = ['scripts/check-answers.ts', '--json', ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
}

test('every sentence of the demo and the examples is provable', { timeout: 60_000 }, () => {
  const { cases, sentences, supported, unsupported, by_kind, shipped } = lastLine();
  expect([cases, sentences, supported, unsupported, by_kind].every((part) => part !== undefined)).toBe(true);
  const { sentences: all, released } = shipped as { readonly sentences: number; readonly released: number };
  expect(all).toBeGreaterThan(0);
  expect(released).toBe(all);
});

test('counts only the cases of a file that the caller names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'cases.jsonl');
  const facts = [{ ref: 'e1', tool: 'account', value: { plan: 'Pro' } }];
  const sentences = [
    { text: 'Your plan is Pro.', refs: ['e1'], supported: true, kind: 'verbatim' },
    { text: 'Your plan is Basic.', refs: ['e1'], supported: false, kind: 'swapped_name' },
  ];
  writeFileSync(file, JSON.stringify({ id: 'c1', request: 'Which plan am I on?', facts, sentences }));
  expect(lastLine('--data', file)).toEqual({
    cases: 1,
    sentences: 2,
    supported: { released: 1, not_provable: 0, refused: 0 },
    unsupported: { released: 0, not_provable: expect.any(Number), refused: expect.any(Number) },
    by_kind: { verbatim: expect.any(Object), swapped_name: expect.any(Object) },
  });
});

test('reads a file with a byte order mark, and absent pointers as null', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-answers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'cases.jsonl');
  const facts = [{ ref: 'e1', tool: 'account', value: { plan: 'Pro' }, hidden: null, untrusted: null, complete: null }];
  const sentences = [{ text: 'Your plan is Pro.', refs: ['e1'], supported: true, kind: 'verbatim' }];
  const line = JSON.stringify({ id: 'c1', request: 'Which plan am I on?', facts, sentences });
  writeFileSync(file, `\ufeff${line}\n`);
  expect(lastLine('--data', file)).toMatchObject({ supported: { released: 1, not_provable: 0, refused: 0 } });
});
