import { describe, expect, test } from 'vitest';
import { firstDifference } from './diff-runs.ts';

describe('the first difference', () => {
  test('is named by its JSON Pointer', () => {
    const recorded = [0, 1, 2, { type: 'step_judged', scores: { 'a/b': 1 } }];
    const derived = [0, 1, 2, { type: 'step_judged', scores: { 'a/b': 0 } }];
    expect(firstDifference(recorded, derived)).toEqual({
      path: '/3/scores/a~1b',
      message: '/3/scores/a~1b: recorded 1, derived 0',
    });
  });

  test('is a value that only one side has', () => {
    expect(firstDifference([{ at: 1 }], [{ at: 1 }, { at: 2 }])).toEqual({
      path: '/1',
      message: '/1: recorded nothing, derived {"at":2}',
    });
  });

  test('is found under an inherited name such as toString', () => {
    expect(firstDifference({ scores: { toString: 1 } }, { scores: {} })).toEqual({
      path: '/scores/toString',
      message: '/scores/toString: recorded 1, derived nothing',
    });
  });

  test('at the root concerns all events', () => {
    expect(firstDifference([], {})).toEqual({ path: '', message: 'the events: recorded [], derived {}' });
  });

  test('may be the key order alone', () => {
    expect(firstDifference({ a: 1, b: 2 }, { b: 2, a: 1 })).toMatchObject({ path: '' });
  });
});
