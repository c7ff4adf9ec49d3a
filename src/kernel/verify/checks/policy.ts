import { whyForbidden } from '../../../model/policy-decision.ts';
import type { Problem } from '../../../model/problem.ts';
import type { Subject } from '../subject.ts';

/** An engine that breaks or answers nonsense has not said that the plan is fine. */
export function checkPolicy(subject: Subject): readonly Problem[] {
  return [...brokenInvariants(subject), ...forbiddenSteps(subject)];
}

/** Planning again does not make permitted what is forbidden: a denial, and no hint where else to try. */
function forbiddenSteps({ plan, decisions }: Subject): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { step_id, decision } of decisions) {
    if (decision.effect === 'permit') continue;
    const path = `/steps/${plan.steps.findIndex(({ id }) => id === step_id)}`;
    const { version, determining } = decision;
    const message = `step ${step_id} is forbidden: ${whyForbidden(decision)}`;
    problems.push({ code: 'permission_denied', path, message, step_id, detail: { policy: version, determining } });
  }
  return problems;
}

function brokenInvariants({ plan, context }: Subject): readonly Problem[] {
  const { policy } = context;
  const conflict = (invariant: string, message: string): Problem => ({
    code: 'policy_conflict',
    path: '',
    message: `breaks ${invariant}: ${message}`,
    detail: { invariant, policy: policy.version },
  });
  try {
    return policy.invariants(plan).map(({ invariant, message }) => conflict(String(invariant), String(message)));
  } catch (error) {
    return [conflict('policy_engine', `the policy engine failed: ${String(error)}`)];
  }
}
