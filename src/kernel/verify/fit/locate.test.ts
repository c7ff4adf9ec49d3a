/** Proves whether a schema has a value at a path: always, sometimes or never. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accepts } from '../../../../test/kernel/verify/ajv.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { stepInto } from '../../../model/json/json-at.ts';
import { pointerKeys } from '../../../model/json/pointer.ts';
import { locate } from './locate.ts';
import { rooted } from './rooted.ts';

const S = { type: 'string' };
const open = { type: 'object', properties: { a: S, b: S }, required: ['a'] };
const closed = { ...open, additionalProperties: false };

describe('presence', () => {
  // biome-ignore format: a table is read by its columns, one row a line
  const rows: readonly (readonly [string, boolean | JsonObject, string, string, Json])[] = [
    ['the whole value', S, '', 'always', S],
    ['a required field', open, '/a', 'always', S],
    ['an optional field', open, '/b', 'sometimes', S],
    ['a further field', open, '/c', 'sometimes', true],
    ['a further field of a closed object', closed, '/c', 'never', false],
    ['an inherited name', closed, '/toString', 'never', false],
    ['below a scalar', open, '/a/x', 'never', false],
    ['further fields by schema', { type: 'object', additionalProperties: S }, '/x', 'sometimes', S],
    ['fields by pattern', { ...closed, patternProperties: { '^x': S } }, '/xy', 'sometimes', true],
    ['a required field of what may be null', { ...open, type: ['object', 'null'] }, '/a', 'sometimes', S],
    ['a required field of what may be anything', { properties: { a: S }, required: ['a'] }, '/a', 'sometimes', S],
    ['a place in a list', { type: 'array', items: S }, '/3', 'sometimes', S],
    ['a place that is always there', { type: 'array', items: S, minItems: 4 }, '/3', 'always', S],
    ['a place beyond the end', { type: 'array', items: S, maxItems: 3 }, '/3', 'never', false],
    ['a place of a tuple', { type: 'array', prefixItems: [true, S], items: false, minItems: 2 }, '/1', 'always', S],
    ['a place beyond a tuple', { type: 'array', prefixItems: [true, S], items: false }, '/2', 'never', false],
    ['a name in a list', { type: 'array', items: S }, '/first', 'never', false],
    ['anything', true, '/a/b', 'sometimes', true],
    ['nothing', false, '/a', 'never', false],
    ['through a reference', { $ref: '#/$defs/o', $defs: { o: closed } }, '/a', 'always', S],
    ['through all of', { allOf: [closed, { type: 'object' }] }, '/c', 'never', false],
    ['in each alternative', { anyOf: [closed, { ...closed, required: ['a', 'b'] }] }, '/b', 'sometimes', { anyOf: [S, S] }],
    ['in no alternative', { oneOf: [closed, S] }, '/c', 'never', false],
    ['in one alternative', { oneOf: [closed, S] }, '/a', 'sometimes', S],
    ['a type nobody knows', { type: 'record', properties: { a: S } }, '/a', 'sometimes', S],
    ['a document inside a document', { type: 'object', required: ['a'], properties: { a: { $id: 'https://x.example/s', ...closed } } }, '/a/c', 'sometimes', true],
  ];
  test.each(rows)('%s', (_name, schema, pointer, presence, found) => {
    expect(locate(rooted(schema), pointerKeys(pointer))).toMatchObject({ presence, schema: { schema: found } });
  });
});

test('answers "sometimes" for a recursive schema that exceeds the search limit', () => {
  const twice = {
    anyOf: [
      { $ref: '#' },
      { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
      { type: 'object', properties: { a: { $ref: '#' } } },
    ],
  };
  expect(
    locate(
      rooted(twice),
      Array.from({ length: 1_000 }, () => 'a'),
    ).presence,
  ).toBe('sometimes');
});

test('"never" and "always" hold for every value that a real validator accepts', () => {
  const leaf = fc.constantFrom<boolean | JsonObject>(true, S, { type: 'integer' }, open, closed, {
    type: 'array',
    items: S,
    maxItems: 1,
  });
  const schema = fc.letrec<{ schema: boolean | JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('schema'), {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          required: fc.subarray(['a', 'b']),
          additionalProperties: tie('schema'),
        },
        { requiredKeys: ['type'], noNullPrototype: true },
      ) as fc.Arbitrary<JsonObject>,
      fc.record(
        {
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          items: tie('schema'),
          minItems: fc.nat(2),
        },
        { requiredKeys: [], noNullPrototype: true },
      ) as fc.Arbitrary<JsonObject>,
      fc.record(
        { anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) },
        { noNullPrototype: true },
      ) as fc.Arbitrary<JsonObject>,
      fc.record(
        { allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) },
        { noNullPrototype: true },
      ) as fc.Arbitrary<JsonObject>,
    ),
  })).schema;
  const value = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 2 },
      fc.constantFrom<Json>('x', 1, null),
      fc.array(tie('json'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('json'), { maxKeys: 2, noNullPrototype: true }),
    ),
  })).json;
  const tokens = fc.array(fc.constantFrom('a', 'b', '0', '1'), { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(schema, tokens, fc.array(value, { minLength: 20, maxLength: 20 }), (node, path, values) => {
      const found = locate(rooted(node), path);
      for (const json of values.filter(accepts(node))) {
        let at: Json | undefined = json;
        for (const token of path) at = at === undefined ? undefined : stepInto(at, token);
        if (found.presence === 'never') expect(at).toBeUndefined();
        if (found.presence === 'always') expect(at).not.toBeUndefined();
        if (at !== undefined) expect(accepts(found.schema.schema)(at)).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
});
