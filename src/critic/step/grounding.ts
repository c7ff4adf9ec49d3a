import type { StepCase } from '../../model/critic/judged-case.ts';
import { type Assessment, type Evaluator, FULL, finding, found } from '../evaluators/evaluator.ts';

/**
 * Checks that the step uses only committed evidence, and that only verified output was taken over. Feeds `policy`: an
 * ungrounded step is rejected, however useful.
 */
export const grounding: Evaluator<StepCase> = { name: 'grounding', version: '1', feeds: 'policy', assess };

function assess({ step, outcome, output, problems, support }: StepCase): Assessment {
  if (output !== null && (outcome !== 'ok' || problems.length > 0)) {
    return violation(`${step.id} took over a result that failed verification (${outcome})`);
  }
  const { unresolved } = support.evidence;
  return unresolved.length === 0
    ? FULL
    : violation(`${step.id} leans on ${unresolved.join(', ')}, which nothing supplied`);
}

function violation(detail: string): Assessment {
  return found(0, [finding('grounding_violation', 'high', detail)]);
}
