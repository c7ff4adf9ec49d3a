import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { compileWithAjv } from '../../../../test/kernel/verify/ajv.ts';
import { spec } from '../../../../test/kernel/verify/fixtures.ts';
import { ajvSchemaCheck } from '../../../adapters/ajv/ajv-schema-check.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { toolTable } from '../tool-table.ts';
import { defaultCheck, defaultsOf, unfitDefaults } from './fill-defaults.ts';

const SCHEMA: JsonObject = deepFreeze({
  type: 'object',
  properties: {
    method: { type: 'string', default: 'original' },
    options: { type: 'object', properties: { notify: { type: 'boolean', default: true } } },
    lines: { type: 'array', items: { $ref: '#/$defs/line' } },
    pair: { prefixItems: [{ properties: { first: { default: 1 } } }], items: { properties: { rest: { default: 2 } } } },
    either: { anyOf: [{ type: 'object', properties: { guessed: { default: 1 } } }, { type: 'string' }] },
    usual: { $ref: '#/$defs/usual' },
  },
  additionalProperties: { properties: { extra: { default: 'e' } } },
  $defs: {
    line: { type: 'object', properties: { count: { type: 'integer', default: 1 }, inner: { $ref: '#/$defs/line' } } },
    usual: { type: 'string', default: 'u' },
  },
});

const filled = (value: JsonObject, schema: JsonObject = SCHEMA): Json =>
  defaultsOf(schema)?.(deepFreeze(value)) ?? null;

describe('defaultsOf', () => {
  test('fills in missing values at any depth and nothing else', () => {
    expect(
      filled({ options: {}, lines: [{ inner: {} }, { count: 3 }], pair: [{}, {}], either: {}, other: {} }),
    ).toEqual({
      method: 'original',
      options: { notify: true },
      lines: [{ count: 1, inner: { count: 1 } }, { count: 3 }],
      pair: [{ first: 1 }, { rest: 2 }],
      either: {},
      other: { extra: 'e' },
      usual: 'u',
    });
    expect(filled({ method: 'voucher', usual: 'x', options: { notify: false } })).toEqual({
      method: 'voucher',
      usual: 'x',
      options: { notify: false },
    });
  });

  test('returns null without defaults, and the same object if no value is missing', () => {
    expect(defaultsOf({ type: 'object', properties: { a: { type: 'string' } } })).toBeNull();
    const complete = deepFreeze({ method: 'm', usual: 'u', lines: [{ count: 1 }] });
    expect(defaultsOf(SCHEMA)?.(complete)).toBe(complete);
  });

  test('ignores circular and unresolvable references', () => {
    const circle = { $defs: { a: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' }, y: { default: 1 } } };
    expect(filled({ x: {} }, circle)).toEqual({ x: {}, y: 1 });
    const endless: JsonObject = { properties: { child: { $ref: '#', default: {} } } };
    expect(filled({}, endless)).toEqual({ child: {} });
    expect(filled({ x: {} }, { properties: { x: { $ref: 'https://elsewhere' }, y: { default: 0 } } })).toEqual({
      x: {},
      y: 0,
    });
    expect(filled({}, { properties: { toString: { default: 1 } } })).toEqual({ toString: 1 });
  });

  test.prop([fc.dictionary(fc.constantFrom('method', 'usual', 'options', 'lines', 'free'), fc.jsonValue())])(
    'is idempotent and keeps every key of the value',
    (value) => {
      const once = filled(value as JsonObject) as JsonObject;
      expect(filled(once)).toEqual(once);
      for (const key of Object.keys(value)) expect(Object.hasOwn(once, key)).toBe(true);
    },
  );
});

test('an imported tool gets its arguments without defaults', () => {
  const specs = [spec('own', { input_schema: SCHEMA }), spec('foreign', { input_schema: SCHEMA, source: 'mcp:x' })];
  const table = toolTable(specs, new Set(), ajvSchemaCheck().compile);
  expect(table.complete('own', {})).toEqual({ method: 'original', usual: 'u' });
  expect(table.complete('foreign', {})).toEqual({});
  expect(table.complete('nobody', { a: 1 })).toEqual({ a: 1 });
});

describe('a default that does not fit its own schema', () => {
  const schema: JsonObject = deepFreeze({
    type: 'object',
    properties: {
      limit: { type: 'integer', default: 'ten' },
      unit: { type: 'string', default: 'm' },
      name: { $ref: '#/$defs/name' },
      short: { $ref: '#/$defs/name', maxLength: 2 },
      lines: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer', default: null } } } },
      self: { $ref: '#', default: 'x' },
    },
    $defs: { name: { type: 'string', default: 'Ada' } },
  });

  test('is not filled in, and the others are', () => {
    const fill = defaultsOf(schema, defaultCheck(schema, compileWithAjv));
    expect(fill?.({ lines: [{}] })).toEqual({ unit: 'm', name: 'Ada', lines: [{}], self: 'x' });
    expect(defaultsOf(schema)?.({ lines: [{}] })).toMatchObject({
      limit: 'ten',
      short: 'Ada',
      lines: [{ count: null }],
    });
  });

  test('is found at any depth; one that refers to the complete schema is not checked', () => {
    expect(unfitDefaults(schema, compileWithAjv)).toEqual(['/limit', '/short', '/lines/*/count']);
    expect(unfitDefaults({ type: 'object' }, compileWithAjv)).toEqual([]);
  });
});
