import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Evaluator, FULL, short } from '../evaluators/evaluator.ts';

/** Checks that a step with a side effect returned a result. An empty answer does not prove the effect. */
export const receipt: Evaluator<StepCase> = {
  name: 'receipt',
  version: '1',
  feeds: 'utility',
  assess: ({ tool, outcome, output }) => {
    if (!tool.side_effect || outcome !== 'ok') return FULL;
    return isEmpty(output) ? short(0, `${tool.name} left nothing that shows its effect`) : FULL;
  },
};

function isEmpty(output: StepCase['output']): boolean {
  if (output === null || output === '') return true;
  return typeof output === 'object' && Object.keys(output).length === 0;
}
