import type { Problem } from '../../../model/problem.ts';
import type { Subject } from '../subject.ts';
import type { BrokenInvariant } from '../verify-context.ts';

/** An engine that breaks or answers nonsense has not said that the plan is fine. */
export function checkPolicy({ plan, context }: Subject): readonly Problem[] {
  const { policy } = context;
  let broken: readonly BrokenInvariant[];
  try {
    broken = policy.invariants(plan);
    if (!Array.isArray(broken)) throw new TypeError('its answer is no list');
  } catch (error) {
    broken = [{ invariant: 'policy_engine', message: `the policy engine failed: ${String(error)}` }];
  }
  return broken.map(({ invariant, message }) => ({
    code: 'policy_conflict',
    path: '',
    message: `breaks ${invariant}: ${message}`,
    detail: { invariant: String(invariant), policy: policy.version },
  }));
}
