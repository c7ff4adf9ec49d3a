import type { EventOf } from '../model/event.ts';
import { AS_PLANNED, type PolicyDecision } from '../model/policy-decision.ts';
import type { KernelEnv } from './env.ts';
import { impossible } from './reaction.ts';
import type { RunState } from './state.ts';

/** What was decided about a call when it was cleared; absent where there are no rules about calls. */
export function decisionOn(
  { planning }: RunState,
  { step_id, policy }: Pick<EventOf<'step_cleared'>, 'step_id' | 'policy'>,
): PolicyDecision | undefined {
  return policy === AS_PLANNED ? planning.decisions.get(step_id) : policy;
}

/** Where there are rules about calls, nothing is cleared without them, and every gate they name is asked for. */
export function assertPermitted({ policy: engine }: KernelEnv, state: RunState, event: EventOf<'step_cleared'>): void {
  if (engine.calls === undefined) return;
  const policy = decisionOn(state, event);
  const { gates } = event;
  if (policy === undefined) throw impossible('a call that no policy was asked about', state);
  if (policy.effect !== 'permit') throw impossible('a call that the policy forbids', state);
  if (policy.version !== engine.calls.version) throw impossible('a call that other policies decided about', state);
  if (policy.gates.length === 0) return;
  const left = policy.gates.filter((gate) => !gates.includes(gate));
  if (left.length > 0) throw impossible(`the gates ${left.join(', ')} of the policy were left out`, state);
}
