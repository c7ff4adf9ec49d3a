/**
 * Compares `fit` with a real validator on random schemas and values: "fits" never admits a refused value, and
 * "cannot_fit" never refuses an accepted one.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accepts } from '../../../../test/kernel/verify/ajv.ts';
import { deepFreeze } from '../../../model/json/freeze.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import type { Fit } from './answer.ts';
import { exactObjectDomain, literalDomain } from './domain.ts';
import { type JsonSchema, rooted } from './rooted.ts';
import { explainFit } from './schema-fit.ts';

const canFit = (producer: JsonSchema, consumer: JsonSchema): Fit =>
  explainFit(rooted(producer), rooted(consumer)).answer;

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
    ['anything to anything', {}, { title: 'another' }, 'fits'],
    ['a typed union', { type: 'string', anyOf: [{ minLength: 2 }, { maxLength: 3 }] }, S, 'fits'],
    ['integer or number is a number', { type: ['integer', 'number'] }, I, 'not_provable'],
    ['bounds that touch', { type: 'number', maximum: 0 }, { minimum: 0 }, 'not_provable'],
    ['perhaps two alternatives at once', S, { oneOf: [S, { minLength: 1 }] }, 'not_provable'],
    ['a tuple that may be empty', { type: 'array', prefixItems: [S] }, { prefixItems: [N] }, 'not_provable'],
    ['a name that a pattern may let in', closed({ ax: I }), { patternProperties: { '^a': I }, additionalProperties: false }, 'not_provable'],
    ['names that a pattern lets out', { type: 'object', patternProperties: { '^a': S }, additionalProperties: false }, { additionalProperties: I }, 'not_provable'],
    ['negation', S, { not: N }, 'not_provable'],
    ['prototype names are only names', closed({ toString: I }), { required: ['toString'] }, 'fits'],
    ['inherited names are absent', closed({}), { required: ['toString'] }, 'cannot_fit'],
  ];
  test.each(rows)('%s', (_name, producer, consumer, answer) => {
    expect(canFit(deepFreeze(producer), deepFreeze(consumer))).toBe(answer);
  });
});

test('a misfit has a path and a message', () => {
  const wants = {
    type: 'object',
    properties: { list: { type: 'array', items: I }, 'a/b': S },
    required: ['list', 'x'],
  };
  const value = exactObjectDomain(
    new Map([
      ['list', literalDomain([1, 'two', 3, null])],
      ['a/b', literalDomain(5)],
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

test('gives up quickly on schemas that multiply without end', () => {
  const tree = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] };
  const bomb = { ...tree, $defs: { a: { ...tree, type: 'object' }, b: { ...tree, type: 'object' } } };
  expect(canFit(bomb, { ...bomb, title: 'another' })).toBe('not_provable');
});

const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'ab', 'b');
const key = fc.constantFrom('a', 'b', 'c');
const value: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

type Schema = boolean | JsonObject;
const record = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as unknown as fc.Arbitrary<JsonObject>;

/** Schemas of one to three groups of keywords. A schema with every keyword would accept no value and test nothing. */
function schemas(refs: readonly string[]): fc.Arbitrary<Schema> {
  const small = fc.integer({ min: -1, max: 3 });
  const size = fc.integer({ min: 0, max: 3 });
  const typeName = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
  const leaf = fc.constantFrom<Schema>(
    true,
    S,
    I,
    N,
    { type: 'null' },
    { type: ['string', 'null'] },
    { const: 1 },
    false,
  );
  return fc.letrec<{ schema: Schema }>((tie) => {
    const child = tie('schema');
    const some = fc.array(child, { minLength: 1, maxLength: 2 });
    const keyed = fc.dictionary(key, child, { maxKeys: 3, noNullPrototype: true });
    const keys = fc.uniqueArray(key, { maxLength: 2 });
    const group = fc.oneof<fc.Arbitrary<JsonObject>[]>(
      record({ type: typeName }),
      record({ type: fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }) }),
      fc.oneof(record({ const: value }), record({ enum: fc.array(value, { minLength: 1, maxLength: 4 }) })),
      record({ minimum: small, maximum: small, exclusiveMinimum: small, exclusiveMaximum: small }),
      record({
        minLength: size,
        maxLength: size,
        pattern: fc.constantFrom('^a', 'b'),
        multipleOf: fc.constantFrom(1, 2),
      }),
      record({ type: fc.constant('array'), items: child, minItems: size, maxItems: size }),
      record({
        type: fc.constant('array'),
        prefixItems: some,
        items: child,
        uniqueItems: fc.boolean(),
        minItems: size,
      }),
      record({ type: fc.constant('object'), properties: keyed, required: keys, additionalProperties: child }),
      record({ properties: keyed, required: keys, additionalProperties: fc.constant(false), maxProperties: size }),
      record({ patternProperties: fc.constant({ '^a': S }), additionalProperties: child, minProperties: size }),
      fc.oneof(record({ anyOf: some }), record({ oneOf: some }), record({ allOf: some }), record({ not: child })),
      refs.length === 0 ? record({}) : record({ $ref: fc.constantFrom(...refs) }),
    );
    const node = fc.array(group, { minLength: 1, maxLength: 3 }).map((groups): Schema => Object.assign({}, ...groups));
    return { schema: fc.oneof({ maxDepth: 2, withCrossShrink: true }, leaf, { weight: 3, arbitrary: node }) };
  }).schema;
}

const definition = schemas([]);
const document: fc.Arbitrary<JsonObject> = fc
  .tuple(schemas(['#/$defs/x', '#/$defs/y']), definition, definition)
  .map(([top, x, y]) => ({ ...(typeof top === 'boolean' ? { allOf: [top] } : top), $defs: { x, y } }));

describe('soundness against a real validator', () => {
  const RUNS = { numRuns: 400 };
  test('"fits" accepts every value and "cannot_fit" none', () => {
    const counts = { fits: 0, cannot_fit: 0, not_provable: 0 };
    fc.assert(
      fc.property(document, document, fc.array(value, { minLength: 30, maxLength: 30 }), (from, to, values) => {
        const answer = canFit(from, to);
        counts[answer] += 1;
        const produced = values.filter(accepts(from));
        const taken = produced.filter(accepts(to));
        if (answer === 'fits') expect(taken).toEqual(produced);
        if (answer === 'cannot_fit') expect(taken).toEqual([]);
      }),
      RUNS,
    );
    // The property would be void if every answer were "not_provable".
    expect(counts.fits).toBeGreaterThan(RUNS.numRuns / 20);
    expect(counts.cannot_fit).toBeGreaterThan(RUNS.numRuns / 20);
  });

  test('a literal gets the validator\'s answer or "not_provable"', () => {
    let settled = 0;
    fc.assert(
      fc.property(value, document, (json, to) => {
        const { answer } = explainFit(literalDomain(json), rooted(to));
        if (answer === 'not_provable') return;
        settled += 1;
        expect(answer).toBe(accepts(to)(json) ? 'fits' : 'cannot_fit');
      }),
      RUNS,
    );
    expect(settled).toBeGreaterThan(RUNS.numRuns / 2);
  });
});
