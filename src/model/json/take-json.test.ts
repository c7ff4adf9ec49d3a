import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fault } from '../fault/fault.ts';
import { assertJson, JSON_LIMITS } from './json.ts';
import { isProven, takeJson, takeProven } from './take-json.ts';

test('returns an equal copy that is frozen at every depth', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      if (/"(?:__proto__|constructor|prototype)"/.test(text)) return;
      const original: unknown = JSON.parse(text);
      const taken = takeJson(original);
      expect(JSON.stringify(taken)).toBe(JSON.stringify(original));
      const look = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        expect(Object.isFrozen(value)).toBe(true);
        for (const child of Object.values(value)) look(child);
      };
      look(taken);
    }),
  );
});

test('is not affected by later changes to the original', () => {
  const original = { steps: [{ tool: 'read' }] };
  const taken = takeJson(original);
  original.steps[0] = { tool: 'pay' };
  expect(taken).toEqual({ steps: [{ tool: 'read' }] });
  expect(Object.isFrozen(original)).toBe(false);
});

test('refuses values that are not JSON', () => {
  for (const value of [undefined, () => 1, Number.NaN, new Date(0), { a: 1n }]) {
    expect(() => takeJson(value)).toThrow(Fault);
  }
});

test('turns negative zero into zero, as JSON text does', () => {
  const taken = takeJson({ a: -0, list: [-0] }) as { readonly a: number; readonly list: readonly number[] };
  expect([taken.a, taken.list[0]].map((zero) => Object.is(zero, 0))).toEqual([true, true]);
});

test('recognises only the copy itself as proven', () => {
  const original = { steps: [{ tool: 'read' }] };
  const proven = takeProven(original);
  expect(proven).toEqual(original);
  expect(isProven(proven)).toBe(true);
  expect([original, takeJson(original), { ...original }, 'text', null].map(isProven)).toEqual(Array(5).fill(false));
  expect(() => takeProven({ a: undefined })).toThrow(Fault);
});

/** An object whose getter returns one value on the first read and another on later reads. */
function changing(then: unknown): object {
  let looks = 0;
  return {
    get params() {
      looks += 1;
      return looks === 1 ? { a: 1 } : then;
    },
  };
}
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test.each<[string, unknown]>([
  ['a key that reaches into a prototype', { constructor: 1 }],
  ['another one', { prototype: 1 }],
  ['a key that is too long', { ['k'.repeat(1_025)]: 1 }],
  ['a key that is no text', { '\ud800': 1 }],
  ['a value one deeper than any may be', nested(JSON_LIMITS.depthMax)],
])('refuses %s that appears on the second read', (_, then) => {
  expect(() => takeProven(changing(then))).toThrow(/changes while it is read/);
});

test('refuses too many values that appear on the second read', () => {
  const limits = { ...JSON_LIMITS, nodesMax: 50 };
  expect(takeJson(changing(Array(48).fill(7)), limits)).toEqual({ params: Array(48).fill(7) });
  expect(() => takeJson(changing(Array(49).fill(7)), limits)).toThrow(/changes while it is read/);
});

test('applies the same limits to the copy as assertJson does', () => {
  for (const depth of [JSON_LIMITS.depthMax - 1, JSON_LIMITS.depthMax]) {
    expect(() => assertJson(takeProven(nested(depth)))).not.toThrow();
  }
  expect(() => takeProven(nested(JSON_LIMITS.depthMax + 1))).toThrow(/deeper/);
  const limits = { ...JSON_LIMITS, nodesMax: 4 };
  expect(takeJson([1, 2, 3], limits)).toEqual([1, 2, 3]);
  expect(() => takeJson([1, 2, 3, 4], limits)).toThrow(/more than 4 values/);
});
