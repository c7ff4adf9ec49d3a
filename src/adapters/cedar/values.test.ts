/** Tests that all JSON arguments can be represented in Cedar, without rounding and without silent loss. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wantedTables } from './relevant-policies.ts';
import { cedarValues } from './values.ts';

test('puts each value under its pointer in the table of its type', () => {
  const document = { to: ['a@x', 'b@x'], amount: 12.5, count: 3, urgent: false, note: null, 'a/b': { '~': 'deep' } };
  expect(cedarValues(document)).toEqual({
    text: { '/to/0': 'a@x', '/to/1': 'b@x', '/a~1b/~0': 'deep' },
    long: { '/count': 3 },
    decimal: { '/amount': '12.5', '/count': '3.0' },
    flag: { '/urgent': false },
    list: { '/to': ['a@x', 'b@x'] },
    unrepresented: [],
    present: ['/to', '/to/0', '/to/1', '/amount', '/count', '/urgent', '/note', '/a~1b', '/a~1b/~0'],
    blank: [],
  });
});

test.each([[''], [' \t\n'], ['\u200b'], ['\u3164'], [['ann', ' ']]])('%j counts as blank', (value) => {
  expect(cedarValues({ value }).blank).toContain('/value');
});

test('a partial lookup finds the same values as a full one', () => {
  const pointer = fc.constantFrom('/a', '/b', '/a/0', '/a/1', '/a/b', '/b/a', '/a~1b', '/a~', '', 'a', '/a/00');
  const key = fc.constantFrom('a', 'b', 'a/b', '~', '0');
  const leaf = fc.oneof(fc.constantFrom('', ' ', 'x', null, true, 0.5, 1e300), fc.integer());
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('node'), { maxLength: 3 }), fc.dictionary(key, tie('node'))),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, node), fc.uniqueArray(pointer), (raw, pointers) => {
      const document = JSON.parse(JSON.stringify(raw));
      const [all, wanted] = [cedarValues(document), new Set<string>(pointers)];
      const { text, present, list, decimal } = cedarValues(
        document,
        wantedTables(() => wanted),
      );
      const kept = (table: object): object =>
        Object.fromEntries(Object.entries(table).filter(([path]) => wanted.has(path)));
      expect({ text, list, decimal }).toEqual({
        text: kept(all.text),
        list: kept(all.list),
        decimal: kept(all.decimal),
      });
      expect(present.toSorted()).toEqual(all.present.filter((path) => wanted.has(path)).toSorted());
    }),
  );
});

describe('a number', () => {
  test.each([
    ['with more than four decimals', 0.00001],
    ['with a float rounding error', 0.1 + 0.2],
    ['beyond the safe integers', 2 ** 53],
    ['beyond 64 bits', 1e300],
    ['too large for its decimals', 922_337_203_685_478.5],
  ])('%s is in no table, and its path is reported', (_why, value) => {
    const { long, decimal, unrepresented } = cedarValues({ value });
    expect({ long, decimal, unrepresented }).toEqual({ long: {}, decimal: {}, unrepresented: ['/value'] });
  });

  test('of minus zero becomes zero', () => {
    expect(cedarValues({ value: -0 })).toMatchObject({ long: { '/value': 0 }, decimal: { '/value': '0.0' } });
  });

  test('in a table is exact', () => {
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
