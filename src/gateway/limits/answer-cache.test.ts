import { expect, test } from 'vitest';
import { type AnswerKey, createAnswerCache } from './answer-cache.ts';

const nameOf = (n: number): AnswerKey => ({ tenantId: 't', actor: 'a', tool: 'look', argsHash: `sha256:${n}` });
const answer = (size: number) => ({ run_id: 'r', call_id: 'c', trusted: true, raw: null, at: 0, until: 100, size });

test('keeps at most a thousand answers and drops the oldest', () => {
  const kept = createAnswerCache();
  for (let n = 0; n < 1_200; n += 1) kept.set(nameOf(n), answer(1));
  const there = Array.from({ length: 1_200 }, (_, n) => kept.get(nameOf(n), 0) !== null);
  expect(there.indexOf(true)).toBe(200);
  expect(there.filter(Boolean)).toHaveLength(1_000);
});

test('keeps at most 16 MiB in total, and no single answer that is too large', () => {
  const kept = createAnswerCache();
  for (let n = 0; n < 300; n += 1) kept.set(nameOf(n), answer(65_536));
  const there = Array.from({ length: 300 }, (_, n) => kept.get(nameOf(n), 0) !== null).filter(Boolean);
  expect(there).toHaveLength(256);
  kept.set(nameOf(299), answer(65_537));
  expect(kept.get(nameOf(299), 0)).toBeNull();
});

test('does not return an expired answer', () => {
  const kept = createAnswerCache();
  kept.set(nameOf(1), answer(1));
  expect(kept.get(nameOf(1), 100)).not.toBeNull();
  expect(kept.get(nameOf(1), 101)).toBeNull();
});
