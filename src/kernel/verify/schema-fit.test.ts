/**
 * `fit` answers before any value exists, so its answers are held against a real validator: whatever small schemas and
 * values come up, "fits" must never let a refused value through and "cannot_fit" never refuse an accepted one.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accepts } from '../../../test/kernel/verify/ajv.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { exactObject, lift } from './fit/domain.ts';
import { rooted } from './fit/rooted.ts';
import { explainFit, fit } from './schema-fit.ts';

const S = { type: 'string' };
const N = { type: 'number' };
const I = { type: 'integer' };

describe('the three answers', () => {
  const closed = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  // biome-ignore format: a table is read by its columns, one row a line
  const rows: readonly (readonly [string, boolean | JsonObject, boolean | JsonObject, string])[] = [
    ['a type and itself', S, S, 'fits'],
    ['an integer is a number', I, N, 'fits'],
    ['a number may be an integer', N, I, 'not_provable'],
    ['a text is no number', S, N, 'cannot_fit'],
    ['anything may be a text', {}, S, 'not_provable'],
    ['a text is anything', S, {}, 'fits'],
    ['nothing is accepted', S, false, 'cannot_fit'],
    ['true accepts all', true, true, 'fits'],
    ['types as a list', { type: ['string', 'null'] }, { type: ['null', 'string', 'number'] }, 'fits'],
    ['types that overlap', { type: ['string', 'null'] }, S, 'not_provable'],
    ['types that are disjoint', { type: ['boolean', 'null'] }, { type: ['string', 'number'] }, 'cannot_fit'],
    ['nullable to a union', { type: ['string', 'null'] }, { anyOf: [S, { type: 'null' }] }, 'fits'],
    ['a union to nullable', { anyOf: [S, { type: 'null' }] }, { type: ['string', 'null'] }, 'fits'],
    ['a union to one of its branches', { oneOf: [S, N] }, S, 'not_provable'],
    ['a union to neither', { oneOf: [S, N] }, { type: 'boolean' }, 'cannot_fit'],
    ['exactly one alternative', S, { oneOf: [S, N] }, 'fits'],
    ['two alternatives at once', I, { oneOf: [I, N] }, 'cannot_fit'],
    ['OpenAPI null', { type: 'string', nullable: true }, S, 'not_provable'],
    ['a constant that fits', { const: 7 }, I, 'fits'],
    ['a constant that does not', { const: 7.5 }, I, 'cannot_fit'],
    ['an enum inside an enum', { enum: ['a', 'b'] }, { enum: ['c', 'b', 'a'] }, 'fits'],
    ['an enum partly inside', { enum: ['a', 'b'] }, { enum: ['b'] }, 'not_provable'],
    ['an enum outside', { enum: ['a', 'b'] }, { const: 'c' }, 'cannot_fit'],
    ['a text may be a listed one', S, { enum: ['a', 1] }, 'not_provable'],
    ['a number is no listed text', N, { enum: ['a', 'b'] }, 'cannot_fit'],
    ['a boolean is one of both', { type: 'boolean' }, { enum: [true, false] }, 'fits'],
    ['an object constant', { const: { a: [1], b: 2 } }, { const: { b: 2, a: [1] } }, 'fits'],
    ['bounds inside', { type: 'integer', minimum: 2, maximum: 3 }, { type: 'number', minimum: 1 }, 'fits'],
    ['open bounds of integers', { type: 'integer', exclusiveMinimum: 0 }, { minimum: 1 }, 'fits'],
    ['bounds overlap', { type: 'number', minimum: 0 }, { exclusiveMinimum: 0 }, 'not_provable'],
    ['bounds apart', { type: 'number', maximum: 0 }, { exclusiveMinimum: 0 }, 'cannot_fit'],
    ['lengths inside', { type: 'string', minLength: 2, maxLength: 3 }, { maxLength: 5 }, 'fits'],
    ['lengths apart', { type: 'string', maxLength: 2 }, { minLength: 3 }, 'cannot_fit'],
    ['bounds for another type', S, { minimum: 3 }, 'fits'],
    ['a bound nobody understands', I, { minimum: 1, exclusiveMinimum: true }, 'not_provable'],
    ['the same pattern', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^a' }, 'fits'],
    ['another pattern', { type: 'string', pattern: '^a' }, { type: 'string', pattern: 'a' }, 'not_provable'],
    ['closed objects', closed({ a: I }), closed({ a: N }), 'fits'],
    ['a closed consumer and an open producer', { type: 'object' }, closed({}), 'not_provable'],
    ['an extra field', closed({ a: I, b: S }), closed({ a: I }), 'cannot_fit'],
    ['an optional extra field', closed({ a: I, b: S }, ['a']), closed({ a: I }), 'not_provable'],
    ['a missing field', closed({ a: I }), { required: ['b'] }, 'cannot_fit'],
    ['an optional field demanded', closed({ a: I }, []), closed({ a: I }), 'not_provable'],
    ['an optional field of the wrong type', closed({ a: S }, []), closed({ a: I }, []), 'not_provable'],
    ['a demanded field of the wrong type', closed({ a: S }), { properties: { a: I } }, 'cannot_fit'],
    ['further fields by schema', { type: 'object', additionalProperties: I }, { additionalProperties: N }, 'fits'],
    ['patterns of names', closed({ ax: I }), { patternProperties: { '^a': S } }, 'not_provable'],
    ['lists', { type: 'array', items: I }, { type: 'array', items: N }, 'fits'],
    ['lists of other things', { type: 'array', items: S, minItems: 1 }, { items: N }, 'cannot_fit'],
    ['lists that may be empty', { type: 'array', items: S }, { items: N }, 'not_provable'],
    ['list lengths apart', { type: 'array', maxItems: 1 }, { minItems: 2 }, 'cannot_fit'],
    ['tuples', { type: 'array', prefixItems: [I, S], items: false, minItems: 2 }, { prefixItems: [N, S], items: false }, 'fits'],
    ['tuples of older drafts', { type: 'array' }, { items: [S] }, 'not_provable'],
    ['a local reference', { $ref: '#/$defs/id', $defs: { id: S } }, { $ref: '#/definitions/x', definitions: { x: S } }, 'fits'],
    ['a reference to the document', { type: 'object', properties: { next: { $ref: '#' } } }, { type: 'object' }, 'fits'],
    ['a reference that leads nowhere', S, { $ref: '#/$defs/none' }, 'not_provable'],
    ['a reference to elsewhere', S, { $ref: 'https://example.com/s.json' }, 'not_provable'],
    ['a reference to itself', { $ref: '#' }, { $ref: '#' }, 'not_provable'],
    ['a document inside a document', S, { allOf: [{ $id: 'https://example.com/a', type: 'string' }] }, 'not_provable'],
    ['all of', I, { allOf: [N, { minimum: -1e300 }] }, 'not_provable'],
    ['producers that are several things', { allOf: [I, { minimum: 3 }] }, { allOf: [I, N] }, 'fits'],
    ['negation', S, { not: N }, 'not_provable'],
    ['prototype names are only names', closed({ toString: I }), { required: ['toString'] }, 'fits'],
    ['inherited names are absent', closed({}), { required: ['toString'] }, 'cannot_fit'],
  ];
  test.each(rows)('%s', (_name, producer, consumer, answer) => {
    expect(fit(deepFreeze(producer), deepFreeze(consumer))).toBe(answer);
  });
});

test('a misfit says where and what', () => {
  const wants = {
    type: 'object',
    properties: { list: { type: 'array', items: I }, 'a/b': S },
    required: ['list', 'x'],
  };
  const value = exactObject(
    new Map([
      ['list', lift([1, 'two', 3, null])],
      ['a/b', lift(5)],
    ]),
  );
  expect(explainFit(value, rooted(wants))).toEqual({
    answer: 'cannot_fit',
    misfits: [
      { path: '', message: 'must have the property "x"' },
      { path: '/list/1', message: 'must be integer, is string' },
      { path: '/list/3', message: 'must be integer, is null' },
      { path: '/a~1b', message: 'must be string, is 5' },
    ],
  });
});

test('schemas that multiply without end are given up, quickly', () => {
  const tree = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] };
  const bomb = { ...tree, $defs: { a: { ...tree, type: 'object' }, b: { ...tree, type: 'object' } } };
  expect(fit(bomb, { ...bomb, title: 'another' })).toBe('not_provable');
});

const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'ab', 'b');
const value: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('json'), { maxKeys: 3 }),
  ),
})).json;

const small = fc.integer({ min: -1, max: 3 });
const size = fc.integer({ min: 0, max: 3 });
const typeName = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
const schema: fc.Arbitrary<boolean | JsonObject> = fc.letrec<{ schema: boolean | JsonObject }>((tie) => {
  const child = tie('schema');
  const some = fc.array(child, { minLength: 1, maxLength: 3 });
  const keyed = fc.dictionary(fc.constantFrom('a', 'b', 'c'), child, { maxKeys: 3 });
  const node = fc.record(
    {
      type: fc.oneof({ weight: 3, arbitrary: typeName }, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
      const: value,
      enum: fc.array(value, { minLength: 1, maxLength: 4 }),
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: size,
      maxLength: size,
      pattern: fc.constantFrom('^a', 'b'),
      items: child,
      prefixItems: some,
      minItems: size,
      maxItems: size,
      uniqueItems: fc.boolean(),
      properties: keyed,
      required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
      additionalProperties: child,
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), child, { maxKeys: 1 }),
      minProperties: size,
      maxProperties: size,
      anyOf: some,
      oneOf: some,
      allOf: some,
      not: child,
      $ref: fc.constantFrom('#/$defs/x', '#/$defs/y', '#'),
    },
    { requiredKeys: [] },
  );
  // Few keywords at a time: a schema with all of them accepts nothing, and nothing can be learned from it.
  const sparse = fc.tuple(node, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))).map(([full, dice]) => {
    const kept = Object.entries(full).filter(([name]) => name === 'type' || (dice.next().value as number) < 0.15);
    return Object.fromEntries(kept) as JsonObject;
  });
  return {
    schema: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc.constantFrom<boolean | JsonObject>(true, S, I, N, { type: 'null' }, { type: ['string', 'null'] }, false),
      { weight: 4, arbitrary: sparse as fc.Arbitrary<boolean | JsonObject> },
    ),
  };
}).schema;

const rootSchema: fc.Arbitrary<JsonObject> = fc.tuple(schema, schema, schema).map(([top, x, y]) => ({
  ...(typeof top === 'boolean' ? { allOf: [top] } : top),
  $defs: { x, y },
}));

/** Null where the schema refers to itself without end: a validator cannot judge it either. */
function judge(node: JsonObject): ((json: Json) => boolean) | null {
  try {
    const check = accepts(node);
    for (const probe of [null, 0, '', [], {}]) check(probe);
    return check;
  } catch {
    return null;
  }
}

describe('soundness against a real validator', () => {
  const counts = { fits: 0, cannot_fit: 0, not_provable: 0 };
  test('fits: every value is accepted; cannot_fit: none is', () => {
    fc.assert(
      fc.property(rootSchema, rootSchema, fc.array(value, { minLength: 20, maxLength: 40 }), (from, to, values) => {
        const answer = fit(from, to);
        const [produces, takes] = [judge(from), judge(to)];
        fc.pre(produces !== null && takes !== null);
        const produced = values.filter((json) => produces(json));
        fc.pre(produced.length > 0);
        counts[answer] += 1;
        if (answer === 'fits') expect(produced.filter((json) => !takes(json))).toEqual([]);
        if (answer === 'cannot_fit') expect(produced.filter((json) => takes(json))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(counts.fits).toBeGreaterThan(100);
    expect(counts.cannot_fit).toBeGreaterThan(100);
    expect(counts.not_provable).toBeGreaterThan(100);
  });

  test('a literal is judged like a validator judges it, or not at all', () => {
    fc.assert(
      fc.property(value, rootSchema, (json, to) => {
        const takes = judge(to);
        fc.pre(takes !== null);
        const { answer } = explainFit(lift(json), rooted(to));
        if (answer !== 'not_provable') expect(answer).toBe(takes(json) ? 'fits' : 'cannot_fit');
      }),
      { numRuns: 3_000 },
    );
  });
});
