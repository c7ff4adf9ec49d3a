import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fault } from './fault.ts';
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
