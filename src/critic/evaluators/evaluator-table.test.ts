/** Proves that evaluator ids are unique and that no name can harm the object of scores. */
import { expect, test } from 'vitest';
import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, evaluatorTable } from './evaluator.ts';

const named = (name: string, version = '1', feeds?: string): Evaluator<StepCase> => ({
  name,
  version,
  ...(feeds === undefined ? {} : { feeds }),
  assess: () => ({ score: 1 }),
});

test('holds two versions of one evaluator', () => {
  const table = evaluatorTable([named('tone'), named('tone', '2')], []);
  expect([...table.step.keys()]).toEqual(['tone@1', 'tone@2']);
});

test('rejects two evaluators with one name and version', () => {
  expect(() => evaluatorTable([named('tone'), named('tone')], [])).toThrowError(
    expect.objectContaining({
      code: 'input_invalid',
      message: 'evaluator tone@1 is there twice; a new rule needs a new version',
    }),
  );
});

test.each([named('__proto__'), named('Tone'), named('tone of voice'), named(''), named('tone', '1', '__proto__')])(
  'rejects an invalid name (%#)',
  (evaluator) => {
    expect(() => evaluatorTable([evaluator], [])).toThrowError(expect.objectContaining({ code: 'input_invalid' }));
  },
);
