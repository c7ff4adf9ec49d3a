/** Tools can be declared with any library that implements Standard JSON Schema, or with JSON Schema. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../model/json/json.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { inputJsonSchema, outputJsonSchema } from './json-schemas.ts';
import { schemaChecks } from './schema-checks.ts';

const PLAIN: JsonObject = {
  type: 'object',
  properties: { order_id: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
  required: ['order_id', 'lines'],
  additionalProperties: false,
};

function schemaOf(schema: unknown): ToolSpec['input_schema'] {
  const converted = inputJsonSchema(schema);
  if (!converted.ok) throw new Error(converted.why);
  const { $schema: _, ...rest } = converted.schema;
  return rest;
}

const whyNot = (schema: unknown): string => {
  const converted = inputJsonSchema(schema);
  return converted.ok ? '' : converted.why;
};

describe('one tool in four schema languages', () => {
  test.each<[string, unknown]>([
    ['Zod', z.object({ order_id: z.string(), lines: z.array(z.int().min(-5).max(5)) })],
    [
      'Valibot',
      toStandardJsonSchema(v.object({ order_id: v.string(), lines: v.array(v.pipe(v.number(), v.integer())) })),
    ],
    ['ArkType', type({ order_id: 'string', lines: 'number.integer[]' })],
    ['JSON Schema', PLAIN],
  ])('%s', (_name, schema) => {
    const described = schemaOf(schema);
    expect(described).toMatchObject({ type: 'object', additionalProperties: false });
    expect([...(described['required'] as string[])].sort()).toEqual(['lines', 'order_id']);
    expect(described['properties']).toMatchObject({ order_id: { type: 'string' }, lines: { type: 'array' } });
    expect(schemaChecks(schema, schema).input?.({ order_id: 'o', lines: [1] }) ?? []).toEqual([]);
  });
});

describe('defaults', () => {
  test.each<[string, unknown]>([
    ['Zod', z.object({ method: z.string().default('original'), id: z.string() })],
    ['Valibot', toStandardJsonSchema(v.object({ method: v.optional(v.string(), 'original'), id: v.string() }))],
  ])('of %s are in the JSON Schema and need not be passed', (_name, schema) => {
    expect(schemaOf(schema)).toMatchObject({ required: ['id'], properties: { method: { default: 'original' } } });
  });

  test('that a library does not write into the JSON Schema are refused', () => {
    expect(whyNot(type({ method: "string = 'original'" }))).toContain('fills in method by itself');
    const union = z.union([z.object({ a: z.string().default('x') }), z.string()]);
    expect(whyNot(z.object({ either: union }))).toContain('one of several things');
  });
});

describe('a schema', () => {
  test.each<[string, unknown, string]>([
    ['yields no JSON Schema', v.object({}), 'toStandardJsonSchema()'],
    ['turns text into numbers', type({ a: 'string.numeric.parse' }), 'convert them in execute()'],
    [
      'turns text into anything',
      toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.transform(Number)) })),
      'execute()',
    ],
    [
      'changes the values of a record',
      z.object({ a: z.record(z.string(), z.string().transform(Number).pipe(z.number())) }),
      'becomes',
    ],
    ['hides behind a name', z.object({ required: z.string().transform(Number).pipe(z.number()) }), 'becomes'],
    ['is nothing', null, 'JSON Schema'],
    ['holds a function', { type: 'object', properties: { a: () => 1 } }, 'JSON Schema'],
  ])('that %s is refused', (_name, schema, why) => {
    expect(whyNot(schema)).toContain(why);
  });

  test('closes its typed objects, but not open or intersected ones', () => {
    expect(schemaOf(z.looseObject({ a: z.string() }))['additionalProperties']).toEqual({});
    expect(schemaOf(z.record(z.string(), z.int()))['additionalProperties']).toMatchObject({ type: 'integer' });
    const both = toStandardJsonSchema(v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]));
    expect(JSON.stringify(schemaOf(both))).not.toContain('additionalProperties');
    const nested = schemaOf(z.object({ default: z.object({ properties: z.string() }) }));
    expect(nested).toMatchObject({ properties: { default: { additionalProperties: false } } });
  });

  test('of a result permits additional properties', () => {
    const read = outputJsonSchema(z.object({ a: z.string() }));
    expect(read.ok && read.schema).not.toHaveProperty('additionalProperties');
  });
});

describe('checks beyond JSON Schema', () => {
  const schema = z.object({ iban: z.string().refine((text) => text.startsWith('DE'), 'is no German account') });
  const input = (args: JsonObject, checked: unknown = schema): unknown => schemaChecks(checked, {}).input?.(args);

  test('apply to arguments and results', () => {
    expect(input({ iban: 'DE1' })).toEqual([]);
    expect(input({ iban: 'FR1' })).toEqual([
      { code: 'argument_invalid', path: '/iban', message: 'is no German account' },
    ]);
    expect(schemaChecks({}, schema).output?.({ iban: 'FR1' })).toMatchObject([{ code: 'tool_result_invalid' }]);
  });

  test('refuse arguments that the schema would change', () => {
    const trimmed = z.object({ name: z.string().trim() });
    expect(input({ name: 'a' }, trimmed)).toEqual([]);
    expect(input({ name: ' a' }, trimmed)).toMatchObject([{ message: expect.stringContaining('would change') }]);
    expect(input({ at: '2026' }, z.object({ at: z.coerce.date() }))).toMatchObject([{ code: 'argument_invalid' }]);
  });

  test('fail if they throw or are asynchronous', () => {
    const later = z.object({ a: z.string().refine(async () => true) });
    expect(input({ a: 'x' }, later)).toMatchObject([{ code: 'argument_invalid' }]);
    const slow = { '~standard': { version: 1, vendor: 'x', validate: async () => ({ value: {} }) } };
    expect(input({}, slow)).toMatchObject([{ message: expect.stringContaining('answers later') }]);
    const broken = {
      '~standard': {
        version: 1,
        vendor: 'x',
        validate: () => {
          throw new Error('no');
        },
      },
    };
    expect(input({}, broken)).toMatchObject([{ message: expect.stringContaining('could not be checked: no') }]);
  });
});
