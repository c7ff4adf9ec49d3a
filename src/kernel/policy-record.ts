import type { EventOf } from '../model/event.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import type { KernelEnv } from './env.ts';
import { impossible } from './reaction.ts';
import type { RunState } from './state.ts';

/** What was decided about each step when its plan was verified. */
export function plannedDecisions({ policy = [] }: EventOf<'plan_verified'>): ReadonlyMap<string, PolicyDecision> {
  const decisions = new Map<string, PolicyDecision>();
  for (const one of policy) {
    const decision: PolicyDecision | undefined = 'decision' in one ? one.decision : decisions.get(one.as);
    // As about a step that nobody decided about is not decided: then it is asked when its turn comes.
    if (decision !== undefined) decisions.set(one.step_id, decision);
  }
  return decisions;
}

/** Where there are rules about calls, nothing is cleared without them, and every gate they name is asked for. */
export function assertPermitted({ policy: engine }: KernelEnv, state: RunState, event: EventOf<'step_cleared'>): void {
  const { policy, gates } = event;
  if (engine.calls === undefined) return;
  if (policy === undefined) throw impossible('a call that no policy was asked about', state);
  if (policy.effect !== 'permit') throw impossible('a call that the policy forbids', state);
  if (policy.version !== engine.calls.version) throw impossible('a call that other policies decided about', state);
  if (policy.gates.length === 0) return;
  const left = policy.gates.filter((gate) => !gates.includes(gate));
  if (left.length > 0) throw impossible(`the gates ${left.join(', ')} of the policy were left out`, state);
}
