import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fault } from './fault.ts';
import { assertJson, JSON_LIMITS } from './json.ts';
import { isProven, takeJson, takeProven } from './take-json.ts';

test('the copy is equal, its own and frozen all through', () => {
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

test('what the stranger does to the original afterwards is of no consequence', () => {
  const original = { steps: [{ tool: 'read' }] };
  const taken = takeJson(original);
  original.steps[0] = { tool: 'pay' };
  expect(taken).toEqual({ steps: [{ tool: 'read' }] });
  expect(Object.isFrozen(original)).toBe(false);
});

test('what is no JSON is refused', () => {
  for (const value of [undefined, () => 1, Number.NaN, new Date(0), { a: 1n }]) {
    expect(() => takeJson(value)).toThrow(Fault);
  }
});

test('a zero below zero is taken for the zero that every JSON text makes of it', () => {
  const taken = takeJson({ a: -0, list: [-0] }) as { readonly a: number; readonly list: readonly number[] };
  expect([taken.a, taken.list[0]].map((zero) => Object.is(zero, 0))).toEqual([true, true]);
});

test('a value is known to be proven only as the very copy that was taken', () => {
  const original = { steps: [{ tool: 'read' }] };
  const proven = takeProven(original);
  expect(proven).toEqual(original);
  expect(isProven(proven)).toBe(true);
  expect([original, takeJson(original), { ...original }, 'text', null].map(isProven)).toEqual(Array(5).fill(false));
  expect(() => takeProven({ a: undefined })).toThrow(Fault);
});

/** Shows one value to whoever looks first, and another to whoever looks again. */
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
])('%s is not proven by having been something else at first', (_, then) => {
  expect(() => takeProven(changing(then))).toThrow(/changes while it is read/);
});

test('more values than there may be are not taken for having been few at first', () => {
  const limits = { ...JSON_LIMITS, nodesMax: 50 };
  expect(takeJson(changing(Array(48).fill(7)), limits)).toEqual({ params: Array(48).fill(7) });
  expect(() => takeJson(changing(Array(49).fill(7)), limits)).toThrow(/changes while it is read/);
});

test('whatever is proven has all that the first look asks for, at every bound', () => {
  for (const depth of [JSON_LIMITS.depthMax - 1, JSON_LIMITS.depthMax]) {
    expect(() => assertJson(takeProven(nested(depth)))).not.toThrow();
  }
  expect(() => takeProven(nested(JSON_LIMITS.depthMax + 1))).toThrow(/deeper/);
  const limits = { ...JSON_LIMITS, nodesMax: 4 };
  expect(takeJson([1, 2, 3], limits)).toEqual([1, 2, 3]);
  expect(() => takeJson([1, 2, 3, 4], limits)).toThrow(/more than 4 values/);
});
