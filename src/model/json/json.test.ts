/** `assertJson` accepts plain, bounded JSON only and throws nothing but Faults. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../fault/fault.ts';
import { deepFreeze } from './freeze.ts';
import { assertJson } from './json.ts';

function faultOf(value: unknown): Fault {
  try {
    assertJson(value);
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error('the door let it in');
}

/** Builds `[[[…]]]`, or the same with objects, without recursion. */
function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

describe('values that are not JSON', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['undefined', { a: undefined }, '/a'],
    ['a hole in a list', new Array(2), '/0'],
    ['a function', { run: () => 1 }, '/run'],
    ['a symbol', [Symbol('x')], '/0'],
    ['a bigint', { n: 1n }, '/n'],
    ['NaN', { a: [Number.NaN] }, '/a/0'],
    ['Infinity', Number.POSITIVE_INFINITY, ''],
    ['negative Infinity', [Number.NEGATIVE_INFINITY], '/0'],
    ['a date', { at: new Date(0) }, '/at'],
    ['a map', { a: new Map() }, '/a'],
    ['an error', new Error('x'), ''],
    ['a class instance', { a: new (class Sneaky {})() }, '/a'],
    ['bytes', { a: new Uint8Array(2) }, '/a'],
    ['a lone surrogate', { a: ['ok', '\ud800'] }, '/a/1'],
    ['a lone surrogate in a key', { a: { 'x\udfff': 1 } }, '/a'],
  ];
  test.each(cases)('refuses %s', (_, value, path) => {
    expect(faultOf(value)).toMatchObject({ code: 'input_invalid', path });
  });
});

describe('keys that reach into a prototype', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('refuses %s', (key) => {
    const value: unknown = JSON.parse(`{"a":[{"${key}":{"polluted":true}}]}`);
    const fault = faultOf(value);
    expect(fault).toMatchObject({ code: 'input_invalid', path: `/a/0/${key}` });
    expect(fault.message).toContain(key);
  });

  test('refuses an own __proto__ key on an object without a prototype', () => {
    const bare: Record<string, unknown> = Object.create(null);
    Object.defineProperty(bare, '__proto__', { value: { polluted: true }, enumerable: true });
    expect(faultOf(bare)).toMatchObject({ code: 'input_invalid', path: '/__proto__' });
  });
});

describe('limits', () => {
  test.each([
    ['lists', (inner: unknown): unknown => [inner]],
    ['objects', (inner: unknown): unknown => ({ a: inner })],
  ])('refuses ten thousand levels of %s', (_, wrap) => {
    expect(faultOf(nested(10_000, wrap)).code).toBe('json_too_deep');
  });

  test('accepts the maximum depth and refuses one level more', () => {
    expect(() => assertJson(nested(64, (inner) => [inner]))).not.toThrow();
    expect(faultOf(nested(65, (inner) => [inner])).code).toBe('json_too_deep');
  });

  test('refuses an object and a list that contain themselves', () => {
    const object: Record<string, unknown> = {};
    object['self'] = object;
    const list: unknown[] = [];
    list.push(list);
    expect(faultOf(object).code).toBe('json_too_deep');
    expect(faultOf(list).code).toBe('json_too_deep');
  });

  test('refuses a string, a key and a list that are too long', () => {
    expect(faultOf({ a: 'x'.repeat(1_048_577) })).toMatchObject({ code: 'json_too_large', path: '/a' });
    expect(faultOf({ ['k'.repeat(1_025)]: 1 })).toMatchObject({ code: 'json_too_large', path: '' });
    expect(faultOf(Array.from({ length: 1_000_000 }, () => 0)).code).toBe('json_too_large');
  });

  test('refuses by smaller limits a value that larger limits accept', () => {
    const limits = { depthMax: 1, stringLengthMax: 3, nodesMax: 3, bytesMax: 100 };
    expect(() => assertJson({ a: 'abc' }, limits)).not.toThrow();
    expect(() => assertJson({ a: 'abcd' }, limits)).toThrow(expect.objectContaining({ code: 'json_too_large' }));
    expect(() => assertJson([1, 2, 3], limits)).toThrow(expect.objectContaining({ code: 'json_too_large' }));
  });
});

test('refuses a value that throws when it is read', () => {
  const trap = {
    get a(): number {
      throw new RangeError('boom');
    },
  };
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  expect(faultOf(trap)).toMatchObject({ code: 'input_invalid', cause: expect.any(RangeError) });
  expect(faultOf({ a: proxy }).code).toBe('input_invalid');
});

test('keeps a message short and on one line for any key', () => {
  const fault = faultOf({ [`a\n\u001b[31m\u202e${'k'.repeat(900)}`]: Number.NaN });
  expect(fault.message).toMatch(/^[ -~…]+$/);
  expect(fault.message.length).toBeLessThan(400);
});

test('writes the path as a JSON Pointer, so that one key cannot look like two', () => {
  expect(faultOf({ 'a/b~c': Number.NaN }).path).toBe('/a~1b~0c');
});

test('accepts any JSON without changing it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const fits = !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value));
      if (fits) expect(() => assertJson(deepFreeze(value))).not.toThrow();
    }),
  );
});

test('throws nothing but Faults for any value', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withObjectString: true,
    withUnicodeString: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      try {
        assertJson(value);
      } catch (error) {
        expect(Fault.is(error)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test('reports the path of the wrong value, not of one that was walked before', () => {
  const value = { 'a/b': [1, { c: 'd' }], 'e~': [{ f: [] }, { g: [null, Number.NaN] }] };
  expect(faultOf(value)).toMatchObject({ code: 'input_invalid', path: '/e~0/1/g/1' });
});
