import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { ajvSchemaCheck } from './ajv-schema-check.ts';

const { compile } = ajvSchemaCheck();
const nested = (depth: number): Json => (depth === 0 ? [] : [nested(depth - 1)]);
const messages = (schema: JsonObject, value: Json): readonly string[] =>
  compile(schema)(value).map(({ path, message }) => `${path} ${message}`);

const UNENDING = ' the schema cannot be applied to this value: it does not come to an end';

describe('a schema from outside ends over a value from outside', () => {
  test('if a pattern backtracks exponentially', () => {
    expect(messages({ pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }, `${'a'.repeat(40)}!`)).toHaveLength(1);
    const names = { patternProperties: { '^(a+)+$': { type: 'number' } } };
    expect(messages(names, { [`${'a'.repeat(40)}!`]: 'x' })).toEqual([]);
    expect(messages({ propertyNames: { pattern: '^(a+)+$' } }, { [`${'a'.repeat(40)}!`]: 1 })).not.toEqual([]);
  });

  test('if references visit a nested value twice on each level', () => {
    const twice = [{ items: { $ref: '#/$defs/n' } }, { items: { $ref: '#/$defs/n' } }];
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const n = { type: 'array', [keyword]: twice };
      expect(messages({ $defs: { n }, $ref: '#/$defs/n' }, nested(60))).toEqual([UNENDING]);
    }
  });

  test('if many patterns read a long text', () => {
    const allOf = Array.from({ length: 400 }, (_, at) => ({ pattern: `^x{${at}}y` }));
    expect(messages({ allOf }, 'x'.repeat(100_000))).toEqual([UNENDING]);
  });

  test('if one large pattern reads a long text', () => {
    const pattern = `^${'(?:a?){1000}'.repeat(4)}$`;
    expect(messages({ pattern }, `${'a'.repeat(100_000)}b`)).toEqual([UNENDING]);
    expect(messages({ pattern }, 'a'.repeat(4_000))).toEqual([]);
  });

  test('if one large pattern reads many short texts', () => {
    const items = { pattern: `^${'(?:a?){1000}'.repeat(4)}$` };
    expect(messages({ items }, Array(100_000).fill(''))).toEqual([UNENDING]);
    expect(messages({ items: { pattern: '^a{0,9}$' } }, Array(100_000).fill('a'))).toEqual([]);
  });

  test('if a list of 50,000 objects has to be unique', () => {
    const list = Array.from({ length: 50_000 }, (_, at) => ({ at }));
    expect(messages({ uniqueItems: true }, list)).toEqual([]);
    expect(messages({ uniqueItems: true }, [...list, { at: 7 }])).toEqual([
      ' must NOT have duplicate items (items ## 7 and 50000 are identical)',
    ]);
  });

  test('and the next check has all its steps again', () => {
    const tree: JsonObject = { $defs: { n: { type: 'array', items: { $ref: '#/$defs/n' } } }, $ref: '#/$defs/n' };
    const wide = Array.from({ length: 400_000 }, () => []);
    const check = compile(tree);
    for (let time = 0; time < 6; time += 1) expect(check(wide)).toEqual([]);
  });
});

test('a schema with a pattern that has no linear form is refused, and the fault names the way out', () => {
  expect(() => compile({ properties: { a: { pattern: '(a)\\1' } } })).toThrow(
    expect.objectContaining({
      code: 'input_invalid',
      message: expect.stringContaining('write several patterns in allOf'),
    }),
  );
});

test('a schema whose patterns are too large together is refused', () => {
  const allOf = Array.from({ length: 40 }, (_, at) => ({ pattern: `^b{${at}}${'(?:a?){1000}'.repeat(4)}$` }));
  expect(() => compile({ allOf })).toThrow(
    expect.objectContaining({ code: 'input_invalid', message: expect.stringContaining('larger than 100000 steps') }),
  );
  for (const schema of allOf) expect(compile(schema)('c')).toHaveLength(1);
});

test('two patterns of one schema are two patterns', () => {
  expect(messages({ allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ac')).toHaveLength(1);
});

test('repeated items are found as by comparing every pair', () => {
  const item = fc.constantFrom<Json>(1, '1', { a: 1, b: 2 }, { b: 2, a: 1 }, [1], [1, 2], null, 0, false, 'x');
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), (list) => {
      const same = (a: Json | undefined, b: Json | undefined): boolean =>
        JSON.stringify(Object.entries(Object(a)).sort()) + typeof a + String(a) ===
        JSON.stringify(Object.entries(Object(b)).sort()) + typeof b + String(b);
      const repeats = list.some((one, at) => list.some((other, place) => place > at && same(one, other)));
      expect(messages({ uniqueItems: true }, list).length).toBe(repeats ? 1 : 0);
    }),
  );
});
