/** Pointers resolve only to own values of a document, and equality ignores the order of keys. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Json } from './json.ts';
import { jsonAt, sameJson } from './json-at.ts';

describe('jsonAt', () => {
  const document = { order: { 'a/b': [10, { '~c': null }], '': 1 } };

  test.each([
    ['', document],
    ['/order/a~1b/0', 10],
    ['/order/a~1b/1/~0c', null],
    ['/order/', 1],
  ])('resolves %s', (pointer, value) => {
    expect(jsonAt(document, pointer)).toEqual(value);
  });

  test.each([
    '/order/x',
    '/order/a~1b/2',
    '/order/a~1b/-1',
    '/order/a~1b/01',
    '/order/a~1b/length',
    '/order/a~1b/0/x',
    '/constructor',
    'order',
  ])('resolves %s to undefined', (pointer) => {
    expect(jsonAt(document, pointer)).toBeUndefined();
  });
});

describe('sameJson', () => {
  test.prop([fc.jsonValue()])('accepts a copy as the same', (value) => {
    expect(sameJson(value as Json, JSON.parse(JSON.stringify(value)))).toBe(true);
  });

  test.prop([fc.jsonValue(), fc.jsonValue()])('agrees with structural equality', (a, b) => {
    const [left, right] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
    expect(sameJson(left, right)).toBe(isEqual(left, right));
    expect(sameJson(left, right)).toBe(sameJson(right, left));
  });

  test.each([
    [{ a: 1 }, { b: 1 }],
    [[], {}],
    [null, {}],
    [[1, 2], [1]],
    [{ constructor: 1 }, { other: 1 }],
    ['1', 1],
  ] as [Json, Json][])('tells %j from %j', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
  });
});

function isEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}
