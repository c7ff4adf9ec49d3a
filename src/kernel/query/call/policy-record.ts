import type { EventOf } from '../../../model/events/event.ts';
import { AS_PLANNED, type PolicyDecision } from '../../../model/policy/policy-decision.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { RunState } from '../../state/run-state.ts';

/** The policy decision under which a call was cleared. Undefined if there are no call policies. */
export function decisionOn(
  { planning }: RunState,
  { step_id, policy }: Pick<EventOf<'step_cleared'>, 'step_id' | 'policy'>,
): PolicyDecision | undefined {
  return policy === AS_PLANNED ? planning.decisions.get(step_id) : policy;
}

/** Requires a permit from the current call policies, with every gate they name, before a call is cleared. */
export function assertPermitted({ policy: engine }: KernelEnv, state: RunState, event: EventOf<'step_cleared'>): void {
  if (engine.calls === undefined) return;
  const policy = decisionOn(state, event);
  const { gates } = event;
  if (policy === undefined) throw impossibleEvent('a call that no policy was asked about', state);
  if (policy.effect !== 'permit') throw impossibleEvent('a call that the policy forbids', state);
  if (policy.version !== engine.calls.version) throw impossibleEvent('a call that other policies decided about', state);
  if (policy.gates.length === 0) return;
  const left = policy.gates.filter((gate) => !gates.includes(gate));
  if (left.length > 0) throw impossibleEvent(`the gates ${left.join(', ')} of the policy were left out`, state);
}
