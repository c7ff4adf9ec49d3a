import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Assessment, type Evaluator, FULL, finding, found, short } from '../evaluators/evaluator.ts';
import { unmet } from '../tally.ts';

/**
 * Checks that the step supplied the evidence that the plan expected. A missing type is a finding, because the rest of
 * the plan depends on it. Prose in `success_criteria` and `expected_output` is read by model judges only.
 */
export const expectation: Evaluator<StepCase> = { name: 'expectation', version: '1', feeds: 'utility', assess };

function assess({ step, outcome, support }: StepCase): Assessment {
  if (outcome !== 'ok') return short(0, `${step.id} brought nothing`);
  const { expected, supplied, known } = support.evidence;
  const absent = expected.length === 0 ? expected : expected.filter((type) => !supplied.includes(type));
  if (absent.length > 0) {
    const brought = supplied.length === 0 ? 'no evidence' : supplied.join(', ');
    const detail = `${step.id} was expected to supply ${absent.join(', ')} and supplied ${brought}`;
    return found(0, [finding('unexpected_evidence', 'high', detail)]);
  }
  if (support.criteria.length === 0) return FULL;
  const open = unmet(support.criteria, known);
  if (open.length === 0) return FULL;
  return short(1 - open.length / support.criteria.length, `not met: ${open.join(', ')}`);
}
