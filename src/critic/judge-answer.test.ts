/** Proves that a model judge's prose becomes scores, or a fault that says why not. Nothing is guessed. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { Fault } from '../model/fault.ts';
import { parseJudgeAnswer } from './judge-answer.ts';

describe('an answer is found', () => {
  test.each([
    ['alone', '{"scores":{"tone":0.9},"verdict":"accept"}'],
    ['in a fence', 'Here you are:\n```json\n{"scores":{"tone":0.9},"verdict":"accept"}\n```\nAnything else?'],
    ['after a bracket that is no JSON', 'I used {your rubric}. {"scores":{"tone":0.9},"verdict":"accept"}'],
  ])('%s', (_, text) => {
    expect(parseJudgeAnswer(text)).toEqual({ scores: { tone: 0.9 }, verdict: 'accept' });
  });

  test('as bare scores, without an opinion on the verdict', () => {
    expect(parseJudgeAnswer('{"tone": 0.5, "clarity": 1}')).toEqual({
      scores: { tone: 0.5, clarity: 1 },
      verdict: null,
    });
  });

  test('with a reason beside it, whatever that quotes', () => {
    const text = 'So: {"scores":{"tone":1},"reason":"a } and a \\" and a {"} and no more }';
    expect(parseJudgeAnswer(text)).toEqual({ scores: { tone: 1 }, verdict: null });
  });
});

describe('is refused', () => {
  test.each([
    ['prose without an object', 'Looks good to me!', 'evaluator_failed'],
    ['an object that never ends', '{"scores":{"tone":0.9}', 'evaluator_failed'],
    ['a score above one', '{"scores":{"tone":9}}', 'evaluator_failed'],
    ['a score in words', '{"tone":"good"}', 'evaluator_failed'],
    ['scores that are none', '{"scores":"high"}', 'evaluator_failed'],
    ['a verdict of its own invention', '{"scores":{"tone":1},"verdict":"maybe"}', 'verdict_invalid'],
    ['an answer that is a book', `{"tone":1}${' '.repeat(100_000)}`, 'evaluator_failed'],
  ])('%s', (_, text, code) => {
    expect(() => parseJudgeAnswer(text)).toThrowError(expect.objectContaining({ name: 'Fault', code }));
  });

  test('a key that reaches into a prototype', () => {
    expect(() => parseJudgeAnswer('{"__proto__":{"tone":1}}')).toThrowError(expect.objectContaining({ name: 'Fault' }));
  });
});

test.prop([fc.string()])('any text gives scores or a fault', (text) => {
  let answer: unknown;
  try {
    answer = parseJudgeAnswer(`${text}{`);
  } catch (error) {
    answer = error;
  }
  expect(Fault.is(answer) || Object.hasOwn(answer as object, 'scores')).toBe(true);
});
