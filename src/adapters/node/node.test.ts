import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Name } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { randomIds, sha256 } from './ids-and-hash.ts';
import { systemClock } from './system-clock.ts';

test('sha256 returns the standard digests as lower-case hex', () => {
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('ünï 😀')).toBe(createHash('sha256').update(Buffer.from('ünï 😀', 'utf8')).digest('hex'));
});

test('ids are unique, start with their prefix and are valid names', () => {
  const ids = Array.from({ length: 1_000 }, () => randomIds.next('gate'));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect(parse(Name, id, 'input_invalid')).toMatch(/^gate_/);
});

test('the clock returns whole milliseconds since the epoch', () => {
  const before = Date.now();
  const now = systemClock.nowMs();
  expect(Number.isSafeInteger(now)).toBe(true);
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
