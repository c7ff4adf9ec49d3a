import type { StepCase } from '../../model/critic/judged-case.ts';
import { jsonAt, sameJson } from '../../model/json/json-at.ts';
import type { Assumption } from '../../model/plan/plan.ts';
import { type Assessment, type Evaluator, FULL, finding, found } from '../evaluators/evaluator.ts';

/**
 * Checks that the plan's assumptions still hold. A missing value disproves an assumption like a different value,
 * because continuing would mean acting on something unobserved.
 */
export const assumptions: Evaluator<StepCase> = { name: 'assumptions', version: '1', feeds: 'utility', assess };

function assess({ step, outcome, output, support }: StepCase): Assessment {
  if (support.assumptions.length === 0 || outcome !== 'ok') return FULL;
  const findings = support.assumptions
    .filter((assumption) => assumption.step === step.id && !holds(assumption, output))
    .map(({ id, statement }) => finding('assumption_disproved', 'high', `${id}: ${statement}`));
  return findings.length === 0 ? FULL : found(0, findings);
}

function holds(assumption: Assumption, output: StepCase['output']): boolean {
  const value = jsonAt(output, assumption.path);
  return value !== undefined && sameJson(value, assumption.equals);
}
