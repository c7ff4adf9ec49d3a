/** What is in order already is written by the platform, and has to come out, or be refused, as all else. */
import { expect, test } from 'vitest';
import { canonicalize } from './canonical.ts';
import type { Json } from './json.ts';

test.each<unknown>([
  [[Number.NaN]],
  { a: Number.NaN },
  { a: [1, { b: Number.NEGATIVE_INFINITY }] },
  { a: 'x\ud800' },
  [{ 'b\udc00': 1 }],
])('%j has no form inside of something that is in order', (value) => {
  expect(() => canonicalize(value as Json)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
});

test.each<[unknown, string]>([
  [{ a: { toJSON: 'x' }, b: 1 }, '{"a":{"toJSON":"x"},"b":1}'],
  [{ a: undefined, b: [undefined, 1] }, '{"b":[null,1]}'],
  [{ 10: 1, 9: 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
  [{ '': 0, '\ufb33': 1, '\ud83d\ude00': 2 }, '{"":0,"\ud83d\ude00":2,"\ufb33":1}'],
  [{ a: -0, b: '\u007f\u2028' }, '{"a":0,"b":"\u007f\u2028"}'],
])('%j is written %s', (value, text) => {
  expect(canonicalize(value as Json)).toBe(text);
});

class Asked {
  readonly a = 1;
  toJSON(): string {
    return 'something else';
  }
}

test('what an object could be asked to write itself as is not asked for', () => {
  expect(canonicalize([new Asked()] as unknown as Json)).toBe('[{"a":1}]');
});
