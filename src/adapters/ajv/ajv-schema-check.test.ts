import { describe, expect, test } from 'vitest';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { ajvSchemaCheck } from './ajv-schema-check.ts';

const { compile } = ajvSchemaCheck();
const REFUND: JsonObject = deepFreeze({
  type: 'object',
  properties: {
    order_id: { type: 'string', minLength: 1 },
    amount_cents: { type: 'integer', exclusiveMinimum: 0 },
    method: { enum: ['original', 'voucher'], default: 'original' },
  },
  required: ['order_id', 'amount_cents'],
  additionalProperties: false,
});

const places = (schema: JsonObject, value: Json): readonly string[] => compile(schema)(value).map(({ path }) => path);

function schemaFault(schema: JsonObject): Fault {
  try {
    compile(schema);
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('the schema was accepted');
}

describe('checking a value', () => {
  test('returns no problems for a valid value', () => {
    expect(compile(REFUND)({ order_id: 'ord_881', amount_cents: 1_250 })).toEqual([]);
  });

  test('reports all problems at once, each with its own path and the requested code', () => {
    const value = { amount_cents: '12', method: 'cash', 'a/b~c': 1 };
    expect(compile(REFUND, 'argument_invalid')(value)).toEqual([
      { code: 'argument_invalid', path: '/order_id', message: 'is missing', detail: { keyword: 'required' } },
      {
        code: 'argument_invalid',
        path: '/a~1b~0c',
        message: 'is not a known property',
        detail: { keyword: 'additionalProperties' },
      },
      { code: 'argument_invalid', path: '/amount_cents', message: 'must be integer', detail: { keyword: 'type' } },
      {
        code: 'argument_invalid',
        path: '/method',
        message: 'must be one of ["original","voucher"]',
        detail: { keyword: 'enum' },
      },
    ]);
  });

  test('does not coerce, fill in or remove values', () => {
    const value = deepFreeze({ order_id: 'ord_881', amount_cents: 5, note: 'x' });
    expect(compile({ ...REFUND, additionalProperties: true })(value)).toEqual([]);
    expect(value).toEqual({ order_id: 'ord_881', amount_cents: 5, note: 'x' });
    expect(places({ type: 'integer' }, '5')).toEqual(['']);
    expect(places({ type: 'array', items: { type: 'boolean' } }, [true, 1, 'true'])).toEqual(['/1', '/2']);
  });

  test('ignores inherited properties', () => {
    for (const name of ['toString', 'constructor', 'hasOwnProperty', '__proto__'])
      expect(places({ type: 'object', required: [name] }, {})).toEqual([`/${name}`]);
    const sealed: JsonObject = { type: 'object', properties: {}, additionalProperties: false };
    expect(places(sealed, JSON.parse('{"__proto__":{"admin":true},"constructor":1}'))).toEqual([
      '/__proto__',
      '/constructor',
    ]);
    expect(places({ properties: { toString: { type: 'number' } } }, {})).toEqual([]);
  });

  test('limits the number of problems', () => {
    const list = Array.from({ length: 5_000 }, () => 'not a number');
    expect(compile({ items: { type: 'number' } })(list)).toHaveLength(100);
  });

  test('treats formats and unknown keywords as annotations', () => {
    expect(compile({ type: 'string', format: 'email', 'x-note': 1 })('not an address')).toEqual([]);
  });
});

describe('dialects', () => {
  const TUPLE_07 = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] };
  const TUPLE_2020 = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    prefixItems: [{ type: 'string' }],
    $defs: { unused: true },
  };

  test.each([TUPLE_07, TUPLE_2020])('$$schema is read by its own rules', (schema) => {
    expect(places(schema, ['a', 1])).toEqual([]);
    expect(places(schema, [1, 'a'])).toEqual(['/0']);
  });

  test('reads a schema without a dialect as 2020-12', () => {
    expect(places({ prefixItems: [{ type: 'string' }] }, [1])).toEqual(['/0']);
    expect(schemaFault({ items: [{ type: 'string' }] }).code).toBe('input_invalid');
  });

  test('rejects any other dialect', () => {
    expect(schemaFault({ $schema: 'http://json-schema.org/draft-04/schema#' })).toMatchObject({ path: '/$schema' });
    expect(schemaFault({ $schema: 7 })).toMatchObject({ path: '/$schema' });
  });
});

describe('untrusted schemas', () => {
  test.each([
    [{ type: 'text' }],
    [{ type: 'object', properties: { a: 5 } }],
    [{ pattern: '(' }],
    [{ $ref: 'https://example.com/elsewhere.json' }],
    [{ $ref: '#/$defs/missing' }],
    [{ $async: true, type: 'string' }],
    [{ $id: 5 }],
    [{ required: 'order_id' }],
  ])('%j is rejected with a Fault', (schema) => {
    expect(schemaFault(schema).code).toBe('input_invalid');
  });

  test('isolates schemas from each other, even with the same ids', () => {
    const claimed = { $id: 'https://json-schema.org/draft/2020-12/schema', type: 'string' };
    const inner = {
      $defs: { a: { $id: 'https://example.com/shared', type: 'string' } },
      $ref: 'https://example.com/shared',
    };
    expect(places(claimed, 1)).toEqual(['']);
    expect(places(inner, 1)).toEqual(['']);
    expect(places({ ...inner, $defs: { a: { $id: 'https://example.com/shared', type: 'number' } } }, 1)).toEqual([]);
    expect(schemaFault({ $ref: 'https://example.com/shared' }).code).toBe('input_invalid');
    expect(places(REFUND, {})).toEqual(['/order_id', '/amount_cents']);
    expect(schemaFault({ type: 'text' }).code).toBe('input_invalid');
  });

  test('rejects a circular schema or matches nothing with it, and accepts recursion that follows the value', () => {
    expect(schemaFault({ $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }).code).toBe('input_invalid');
    expect(places({ allOf: [{ $ref: '#' }] }, { any: 'value' })).toEqual(['']);
    const tree: JsonObject = { type: 'object', properties: { child: { $ref: '#' } }, additionalProperties: false };
    expect(places(tree, { child: { child: { other: 1 } } })).toEqual(['/child/child/other']);
  });
});
