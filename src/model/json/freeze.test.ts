import { expect, test } from 'vitest';
import { deepFreeze } from './freeze.ts';

test('freezes a value at every depth and returns the same value', () => {
  const value = { list: [{ deep: { leaf: 1 } }], text: 'x' };
  expect(deepFreeze(value)).toBe(value);
  expect(() => {
    const [first] = value.list;
    if (first !== undefined) first.deep.leaf = 2;
  }).toThrow(TypeError);
  expect(() => value.list.push({ deep: { leaf: 2 } })).toThrow(TypeError);
});

test('freezes mutable values inside a frozen one', () => {
  const inner = { leaf: 1 };
  deepFreeze(Object.freeze({ inner }));
  expect(Object.isFrozen(inner)).toBe(true);
});

test('handles a cycle and a very deep value', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  let deep: unknown = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(Object.isFrozen(deepFreeze(cycle))).toBe(true);
  expect(Object.isFrozen(deepFreeze(deep))).toBe(true);
});

test('returns primitives unchanged', () => {
  expect([deepFreeze(1), deepFreeze(null), deepFreeze('x'), deepFreeze(undefined)]).toEqual([1, null, 'x', undefined]);
});
