/** Proves that what is left is what its JSON text says, and that nothing is copied without need. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepFreeze } from './freeze.ts';
import type { Json } from './json.ts';
import { plainZeros } from './plain-zeros.ts';

test('a value is what its JSON text would be read as', () => {
  const json = fc.jsonValue().map((value) => deepFreeze({ value, zero: -0, list: [0, { deep: -0 }] }) as Json);
  fc.assert(
    fc.property(json, (value) => {
      expect(plainZeros(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('what holds no such zero stays itself', () => {
  const value = deepFreeze({ a: [0, 1, { b: null }], c: 'x' });
  expect(plainZeros(value)).toBe(value);
  const mixed = deepFreeze({ kept: value, zero: -0 });
  expect(plainZeros(mixed).kept).toBe(value);
});
