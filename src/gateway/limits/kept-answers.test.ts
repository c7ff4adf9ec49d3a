import { expect, test } from 'vitest';
import { createKeptAnswers, type KeptName } from './kept-answers.ts';

const nameOf = (n: number): KeptName => ({ tenantId: 't', actor: 'a', tool: 'look', argsHash: `sha256:${n}` });
const answer = (size: number) => ({ run_id: 'r', call_id: 'c', trusted: true, raw: null, at: 0, until: 100, size });

test('no more than a thousand are kept, and the oldest make room', () => {
  const kept = createKeptAnswers();
  for (let n = 0; n < 1_200; n += 1) kept.set(nameOf(n), answer(1));
  const there = Array.from({ length: 1_200 }, (_, n) => kept.get(nameOf(n), 0) !== null);
  expect(there.indexOf(true)).toBe(200);
  expect(there.filter(Boolean)).toHaveLength(1_000);
});

test('nor more than 16 MiB together, and none that is too large by itself', () => {
  const kept = createKeptAnswers();
  for (let n = 0; n < 300; n += 1) kept.set(nameOf(n), answer(65_536));
  const there = Array.from({ length: 300 }, (_, n) => kept.get(nameOf(n), 0) !== null).filter(Boolean);
  expect(there).toHaveLength(256);
  kept.set(nameOf(299), answer(65_537));
  expect(kept.get(nameOf(299), 0)).toBeNull();
});

test('what is too old is not given', () => {
  const kept = createKeptAnswers();
  kept.set(nameOf(1), answer(1));
  expect(kept.get(nameOf(1), 100)).not.toBeNull();
  expect(kept.get(nameOf(1), 101)).toBeNull();
});
