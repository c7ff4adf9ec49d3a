/** An unusable rubric is refused on input, with the path of the problem. */
import { describe, expect, test } from 'vitest';
import { parse } from '../json/parse.ts';
import { Rubric } from './rubric.ts';

const good: Rubric = {
  name: 'standard',
  version: '1',
  evaluators: ['policy@1', 'utility@2.0.1'],
  accept: 0.8,
  floors: { policy: 1 },
  confidence: 0.6,
};

const refused = (over: object): unknown => {
  try {
    return parse(Rubric, { ...good, ...over }, 'input_invalid');
  } catch (error) {
    return error;
  }
};

test('accepts a valid rubric unchanged', () => {
  expect(parse(Rubric, good, 'input_invalid')).toEqual(good);
  expect(parse(Rubric, { ...good, accept: 0.6 }, 'input_invalid').accept).toBe(0.6);
});

describe('refuses with a path', () => {
  test.each([
    ['no evaluator at all', { evaluators: [] }, '/evaluators'],
    ['an evaluator without a version', { evaluators: ['policy'] }, '/evaluators/0'],
    ['a name that reaches into a prototype', { evaluators: ['__proto__@1'] }, '/evaluators/0'],
    ['the same evaluator twice', { evaluators: ['policy@1', 'policy@1'] }, '/evaluators'],
    ['a threshold above one', { accept: 1.01 }, '/accept'],
    ['a negative threshold', { accept: -0.1, confidence: -0.1 }, '/accept'],
    ['a floor above one', { floors: { policy: 2 } }, '/floors/policy'],
    ['more confidence asked for than acceptance', { accept: 0.5 }, '/confidence'],
    ['a field nobody knows', { weight: 1 }, ''],
  ])('%s', (_, over, path) => {
    expect(refused(over)).toMatchObject({ name: 'Fault', code: 'input_invalid', path });
  });

  test('a threshold that is not a number', () => {
    expect(refused({ accept: Number.NaN })).toMatchObject({ code: 'input_invalid', path: '/accept' });
  });
});
