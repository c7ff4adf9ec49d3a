/** Proves that any arguments become something Cedar can hold, that nothing is rounded, and that nothing is lost unseen. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cedarValues } from './values.ts';

test('each value stands under its pointer in the table of its type', () => {
  const document = { to: ['a@x', 'b@x'], amount: 12.5, count: 3, urgent: false, note: null, 'a/b': { '~': 'deep' } };
  expect(cedarValues(document)).toEqual({
    text: { '/to/0': 'a@x', '/to/1': 'b@x', '/a~1b/~0': 'deep' },
    long: { '/count': 3 },
    decimal: { '/amount': '12.5', '/count': '3.0' },
    flag: { '/urgent': false },
    list: { '/to': ['a@x', 'b@x'] },
    unrepresented: [],
  });
});

describe('a number', () => {
  test.each([
    ['with more than four decimals', 0.00001],
    ['that only a float has', 0.1 + 0.2],
    ['beyond what whole numbers are exact for', 2 ** 53],
    ['beyond 64 bits', 1e300],
    ['too large for its decimals', 922_337_203_685_478.5],
  ])('%s is in no table, and its place is told', (_why, value) => {
    const { long, decimal, unrepresented } = cedarValues({ value });
    expect({ long, decimal, unrepresented }).toEqual({ long: {}, decimal: {}, unrepresented: ['/value'] });
  });

  test('below nothing is nothing', () => {
    expect(cedarValues({ value: -0 })).toMatchObject({ long: { '/value': 0 }, decimal: { '/value': '0.0' } });
  });

  test('that is in a table is there exactly', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { long, decimal, unrepresented } = cedarValues({ value });
        const held = [...Object.values(long), ...Object.values(decimal).map(Number)];
        expect(held.every((number) => number === value)).toBe(true);
        expect(held.length === 0).toBe(unrepresented.length === 1);
      }),
    );
  });
});
