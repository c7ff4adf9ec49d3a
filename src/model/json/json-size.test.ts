import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize } from './canonical.ts';
import type { Json } from './json.ts';
import { exceedsBytes } from './json-size.ts';

const bytesOf = (value: Json): number => Buffer.byteLength(canonicalize(value));

const WORST: readonly Json[] = [
  '\u0000'.repeat(40),
  '\b\t\n\f\r"\\\u001f\u007f'.repeat(9),
  '\u20ac'.repeat(40),
  '\u00e9'.repeat(40),
  '\ud83d\ude00'.repeat(40),
  [-1.2345678901234568e-300, -0.1234567890123456 / 100_000, 1e21, 0, -0, 5e-324],
  [[], {}, [[]], { '': {} }, true, false, null],
  { '\u0001"': 1, 'b\\': [1, 2, 3] },
  [],
  {},
  null,
];

test.each(WORST)('the size of case %# is exact', (value) => {
  expect([exceedsBytes(value, bytesOf(value)), exceedsBytes(value, bytesOf(value) - 1)]).toEqual([false, true]);
});

test('a value exceeds a size exactly if its canonical text does', () => {
  const json = fc
    .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
    .map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(json, fc.integer({ min: 0, max: 400 }), (value, most) => {
      expect(exceedsBytes(value, most)).toBe(bytesOf(value) > most);
    }),
  );
});

test('a value whose text is too long for a string is measured', () => {
  const escaped = '\u0001'.repeat(50_000_000);
  expect(exceedsBytes([escaped, escaped], 599_999_999)).toBe(true);
});
