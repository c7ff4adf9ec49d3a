/** An answer stays in line exactly where its canonical form is small enough and cannot be taken for one put aside. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../adapters/node/sha256.ts';
import { canonicalize } from '../model/canonical.ts';
import { JSON_LIMITS, type Json } from '../model/json.ts';
import { putAside } from './payload.ts';

const within = (most: number) => ({ payload_max_bytes: most });
const bytesOf = (raw: Json): number => Buffer.byteLength(canonicalize(raw));

const WORST: readonly Json[] = [
  '\u0000'.repeat(40),
  '\u20ac'.repeat(40),
  '\ud83d\ude00'.repeat(40),
  Array.from({ length: 40 }, () => -1.2345678901234568e-300),
  Array.from({ length: 40 }, () => -0.1234567890123456 / 100_000),
  Array.from({ length: 40 }, () => ({})),
  Array.from({ length: 40 }, () => false),
  Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`\u0001${at}`.repeat(20), 1])),
];

test.each(WORST)('case %# stays in line up to its size and no further', (raw) => {
  const bytes = bytesOf(raw);
  expect(putAside(raw, within(bytes), sha256)).toBeNull();
  expect(putAside(raw, within(bytes - 1), sha256)).not.toBeNull();
});

test('nothing larger than the bound stays in line, and nothing smaller is put aside', () => {
  const json = fc
    .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
    .map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 400 }), (raw, most) => {
      expect(putAside(raw, within(most), sha256) === null).toBe(bytesOf(raw) <= most);
    }),
  );
});

test('what poses as an answer that was put aside is put aside, however small', () => {
  expect(putAside({ $blob: 'sha256:0' }, undefined, sha256)).not.toBeNull();
});

test('a text that no event may hold is put aside, however much a tool may answer', () => {
  const long = 'x'.repeat(JSON_LIMITS.stringLengthMax + 1);
  expect(putAside({ long }, within(100 * JSON_LIMITS.stringLengthMax), sha256)).not.toBeNull();
});
