import { expect, test } from 'vitest';
import { deepFreeze } from './freeze.ts';

test('nothing inside can be changed any more, and the value itself comes back', () => {
  const value = { list: [{ deep: { leaf: 1 } }], text: 'x' };
  expect(deepFreeze(value)).toBe(value);
  expect(() => {
    const [first] = value.list;
    if (first !== undefined) first.deep.leaf = 2;
  }).toThrow(TypeError);
  expect(() => value.list.push({ deep: { leaf: 2 } })).toThrow(TypeError);
});

test('a frozen shell does not hide what is soft inside', () => {
  const inner = { leaf: 1 };
  deepFreeze(Object.freeze({ inner }));
  expect(Object.isFrozen(inner)).toBe(true);
});

test('a cycle and a very deep value are no trouble', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(Object.isFrozen(deepFreeze(cycle))).toBe(true);
  expect(Object.isFrozen(deepFreeze(deep))).toBe(true);
});

test('what is not an object is left alone', () => {
  expect([deepFreeze(1), deepFreeze(null), deepFreeze('x'), deepFreeze(undefined)]).toEqual([1, null, 'x', undefined]);
});
