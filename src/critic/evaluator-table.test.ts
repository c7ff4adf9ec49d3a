/** Proves that a table of evaluators is unambiguous and that no name in it can harm the scores it becomes. */
import { expect, test } from 'vitest';
import type { Evaluator, StepCase } from './evaluator.ts';
import { evaluatorTable } from './evaluator-table.ts';

const named = (name: string, version = '1', feeds?: string): Evaluator<StepCase> => ({
  name,
  version,
  ...(feeds === undefined ? {} : { feeds }),
  assess: () => ({ score: 1 }),
});

test('two versions of one rule live side by side', () => {
  const table = evaluatorTable([named('tone'), named('tone', '2')], []);
  expect([...table.step.keys()]).toEqual(['tone@1', 'tone@2']);
});

test('two rules under one name and version are refused', () => {
  expect(() => evaluatorTable([named('tone'), named('tone')], [])).toThrowError(
    expect.objectContaining({
      code: 'input_invalid',
      message: 'evaluator tone@1 is there twice; a new rule needs a new version',
    }),
  );
});

test.each([named('__proto__'), named('Tone'), named('tone of voice'), named(''), named('tone', '1', '__proto__')])(
  'a name that is no plain word is refused (%#)',
  (evaluator) => {
    expect(() => evaluatorTable([evaluator], [])).toThrowError(expect.objectContaining({ code: 'input_invalid' }));
  },
);
