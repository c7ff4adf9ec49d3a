/** Values whose keys are already sorted go through `JSON.stringify`; the result or the refusal must be the same. */
import { expect, test } from 'vitest';
import { canonicalize } from './canonical.ts';
import type { Json } from './json.ts';

test.each<unknown>([
  [[Number.NaN]],
  { a: Number.NaN },
  { a: [1, { b: Number.NEGATIVE_INFINITY }] },
  { a: 'x\ud800' },
  [{ 'b\udc00': 1 }],
])('refuses %j, although its keys are sorted', (value) => {
  expect(() => canonicalize(value as Json)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
});

test.each<[unknown, string]>([
  [{ a: { toJSON: 'x' }, b: 1 }, '{"a":{"toJSON":"x"},"b":1}'],
  [{ a: undefined, b: [undefined, 1] }, '{"b":[null,1]}'],
  [{ 10: 1, 9: 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
  [{ '': 0, '\ufb33': 1, '\ud83d\ude00': 2 }, '{"":0,"\ud83d\ude00":2,"\ufb33":1}'],
  [{ a: -0, b: '\u007f\u2028' }, '{"a":0,"b":"\u007f\u2028"}'],
])('writes %j as %s', (value, text) => {
  expect(canonicalize(value as Json)).toBe(text);
});

class Asked {
  readonly a = 1;
  toJSON(): string {
    return 'something else';
  }
}

test('does not call toJSON', () => {
  expect(canonicalize([new Asked()] as unknown as Json)).toBe('[{"a":1}]');
});
