import type { Problem } from '../../../model/problem.ts';
import type { Subject } from '../subject.ts';

/** An engine that breaks or answers nonsense has not said that the plan is fine. */
export function checkPolicy({ plan, context }: Subject): readonly Problem[] {
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
