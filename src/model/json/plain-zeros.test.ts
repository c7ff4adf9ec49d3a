/** The result equals the value that its JSON text parses to, and nothing is copied unnecessarily. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainZeros } from './canonical.ts';
import { deepFreeze } from './freeze.ts';
import type { Json } from './json.ts';

test('returns the value that its JSON text parses to', () => {
  const json = fc.jsonValue().map((value) => deepFreeze({ value, zero: -0, list: [0, { deep: -0 }] }) as Json);
  fc.assert(
    fc.property(json, (value) => {
      expect(plainZeros(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('returns a value without negative zero itself', () => {
  const value = deepFreeze({ a: [0, 1, { b: null }], c: 'x' });
  expect(plainZeros(value)).toBe(value);
  const mixed = deepFreeze({ kept: value, zero: -0 });
  expect(plainZeros(mixed).kept).toBe(value);
});
