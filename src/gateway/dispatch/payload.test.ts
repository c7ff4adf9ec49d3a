/** An answer stays inline exactly if its canonical form is small enough and it does not look like a blob reference. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../adapters/node/ids-and-hash.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import { JSON_LIMITS, type Json } from '../../model/json/json.ts';
import { moveToBlob } from './move-to-blob.ts';

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

test.each(WORST)('case %# stays inline up to exactly its size', (raw) => {
  const bytes = bytesOf(raw);
  expect(moveToBlob(raw, within(bytes), sha256)).toBeNull();
  expect(moveToBlob(raw, within(bytes - 1), sha256)).not.toBeNull();
});

test('moves an answer into a blob exactly if it exceeds the limit', () => {
  const json = fc
    .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
    .map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 400 }), (raw, most) => {
      expect(moveToBlob(raw, within(most), sha256) === null).toBe(bytesOf(raw) <= most);
    }),
  );
});

test('moves an answer with its own $blob key into a blob, however small', () => {
  expect(moveToBlob({ $blob: 'sha256:0' }, undefined, sha256)).not.toBeNull();
});

test('moves a string longer than the journal accepts into a blob, regardless of the tool limit', () => {
  const long = 'x'.repeat(JSON_LIMITS.stringLengthMax + 1);
  expect(moveToBlob({ long }, within(100 * JSON_LIMITS.stringLengthMax), sha256)).not.toBeNull();
});
