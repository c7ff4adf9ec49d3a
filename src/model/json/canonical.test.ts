/** Values with equal meaning have one text (RFC 8785) and one address. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize } from './canonical.ts';
import { ADDRESS_PATTERN, address, addressOfText, type Hash } from './hash.ts';
import { assertJson, type Json } from './json.ts';

const hash: Hash = (text) => createHash('sha256').update(text).digest('hex');
const VECTORS = new URL('../../../test/fixtures/jcs/', import.meta.url);
const vector = (kind: 'input' | 'output', name: string): string =>
  readFileSync(new URL(`${kind}/${name}`, VECTORS), 'utf8');

/** Any JSON that `assertJson` accepts, without negative zero, which JSON does not distinguish from zero. */
const json = (): fc.Arbitrary<Json> =>
  fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }).map((value): Json => {
    const plain: unknown = JSON.parse(JSON.stringify(value));
    return plain as Json;
  });

/** Returns an equal value with the keys of every object reversed. */
function reversed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

/** Compares two values independently of `canonicalize`, so that the test below is not circular. */
function sameMeaning(a: Json, b: Json): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  if (left.size !== right.size) return false;
  return [...left].every(([key, child]) => right.has(key) && sameMeaning(child, right.get(key) as Json));
}

describe('the published vectors', () => {
  const names = readdirSync(new URL('input/', VECTORS));
  test('are complete', () => {
    expect(names).toHaveLength(6);
  });
  test.each(names)('%s', (name) => {
    const value: unknown = JSON.parse(vector('input', name));
    assertJson(value);
    expect(canonicalize(value)).toBe(vector('output', name));
  });
});

test.each([
  [9007199254740994, '9007199254740994'],
  [1e21, '1e+21'],
  [0.000001, '0.000001'],
  [9.999999999999997e-7, '9.999999999999997e-7'],
  [-0, '0'],
  [5e-324, '5e-324'],
  [1.7976931348623157e308, '1.7976931348623157e+308'],
])('writes the number %d as %s', (value, text) => {
  expect(canonicalize(value)).toBe(text);
});

test('ignores the order of keys', () => {
  fc.assert(fc.property(json(), (value) => canonicalize(reversed(value)) === canonicalize(value)));
});

test('returns a text that parses to the same value', () => {
  fc.assert(
    fc.property(json(), (value) => {
      expect(JSON.parse(canonicalize(value))).toEqual(value);
    }),
  );
});

test('leaves canonical text unchanged', () => {
  fc.assert(
    fc.property(json(), (value) => {
      const text = canonicalize(value);
      expect(canonicalize(JSON.parse(text))).toBe(text);
    }),
  );
});

test('gives two values the same address exactly if they mean the same', () => {
  const small = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const pair = fc.oneof(
    fc.tuple(small, small),
    small.map((value): [Json, Json] => [value, reversed(value)]),
  );
  fc.assert(
    fc.property(pair, ([a, b]) => {
      expect(address(hash, a) === address(hash, b)).toBe(sameMeaning(a, b));
    }),
  );
});

test('uses the SHA-256 of the canonical text as the address', () => {
  expect(address(hash, { b: 1, a: [] })).toBe(addressOfText(hash, '{"a":[],"b":1}'));
  expect(address(hash, null)).toMatch(ADDRESS_PATTERN);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', ['\udc00'], { '\ud800': 1 }])(
  'refuses %j, which has no canonical form',
  (value) => {
    expect(() => canonicalize(value)).toThrow(expect.objectContaining({ name: 'Fault', code: 'input_invalid' }));
  },
);
