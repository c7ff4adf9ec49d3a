import type { Plan } from '../../model/plan.ts';
import type { StepDecision } from '../../model/policy-decision.ts';
import type { ToolSpec } from '../../model/tool.ts';
import { sameCall } from './same-call.ts';
import type { VerifyContext } from './verify-context.ts';

/** What the rules about calls say of every step that is still to be done. What is done is not asked about again. */
export function stepDecisions(
  plan: Plan,
  specs: readonly (ToolSpec | undefined)[],
  { decide, known }: VerifyContext,
): readonly StepDecision[] {
  if (decide === undefined) return [];
  return plan.steps.flatMap((step, index): readonly StepDecision[] => {
    const spec = specs[index];
    const before = known.committed.get(step.id);
    if (spec === undefined || (before !== undefined && sameCall(before.step, step))) return [];
    return [{ step_id: step.id, decision: decide(step, spec) }];
  });
}
