import type { Problem } from '../../../model/json/problem.ts';
import { whyForbidden } from '../../../model/policy/policy-decision.ts';
import type { Subject } from '../subject.ts';

/** An engine that throws or returns an invalid answer has not accepted the plan. */
export function checkPlanPolicy(subject: Subject): readonly Problem[] {
  return [...findBrokenInvariants(subject), ...findForbiddenSteps(subject)];
}

/** Steps that a policy forbids. The problem gives no hint, because another plan cannot make them permitted. */
function findForbiddenSteps({ plan, decisions }: Subject): readonly Problem[] {
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

function findBrokenInvariants({ plan, context }: Subject): readonly Problem[] {
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
