import type { EventOf } from '../../../model/events/event.ts';
import type { Json } from '../../../model/json/json.ts';
import { storedAt } from '../../../model/json/stored-answer.ts';
import { AS_PLANNED, type PolicyDecision } from '../../../model/policy/policy-decision.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { specOf } from '../plan/tools.ts';
import { isUndoCall } from '../rollback/undo-calls.ts';

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

type ProbeResult = Pick<EventOf<'call_reconciled'>, 'probe' | 'refused' | 'policy'>;

/**
 * Rejects a journal in which a probe that was not allowed has a finding. A probe must be read-only, allowed for this
 * run, and permitted by the policies without a gate.
 */
export function assertProbeAllowed(
  env: KernelEnv,
  state: RunState,
  { probe, refused, policy }: ProbeResult,
  hasFinding: boolean,
): void {
  if (!hasFinding) return;
  if (refused !== undefined) throw impossibleEvent(`${probe} was refused and has found something`, state);
  const why = whyProbeForbidden(env, state, probe);
  if (why !== null) throw impossibleEvent(why, state);
  const { calls } = env.policy;
  if (calls === undefined) return;
  const isPermitted = policy?.effect === 'permit' && policy.gates.length === 0 && policy.version === calls.version;
  if (!isPermitted) throw impossibleEvent(`no policy lets ${probe} be asked`, state);
}

/** The reason why this run may not call the probe at all, or null. */
export function whyProbeForbidden(env: KernelEnv, state: RunState, probe: string): string | null {
  const { manifest, intake } = state;
  const { side_effect, approval_mode, active } = specOf(env, probe);
  if (side_effect || approval_mode !== 'read_only' || !active) return `${probe} is no probe`;
  const { allowed = [], needs_approval = [] } = manifest?.autonomy_boundary.tools ?? {};
  const isGranted = allowed.includes(probe) && intake.token?.allowed_tools.includes(probe) === true;
  const isAllowed = isGranted || isUndoCall(env, state, probe);
  return isAllowed && !needs_approval.includes(probe) ? null : `this run may not ask ${probe}`;
}

/** Allows a recorded ruling only for an answer that is stored outside the journal; other answers are ruled on again. */
export function assertStored(state: RunState, raw: Json): void {
  if (storedAt(raw) === null) throw impossibleEvent('a ruling on an answer that is not kept elsewhere', state);
}
