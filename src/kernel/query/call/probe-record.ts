import type { EventOf } from '../../../model/events/event.ts';
import type { Json } from '../../../model/json/json.ts';
import { storedAt } from '../../../model/json/stored-answer.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import type { RunState } from '../../state/run-state.ts';
import { specOf } from '../plan/tools.ts';

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
export function whyProbeForbidden(env: KernelEnv, { manifest, intake }: RunState, probe: string): string | null {
  const { side_effect, approval_mode, active } = specOf(env, probe);
  if (side_effect || approval_mode !== 'read_only' || !active) return `${probe} is no probe`;
  const { allowed = [], needs_approval = [] } = manifest?.autonomy_boundary.tools ?? {};
  const isAllowed = allowed.includes(probe) && intake.token?.allowed_tools.includes(probe) === true;
  return isAllowed && !needs_approval.includes(probe) ? null : `this run may not ask ${probe}`;
}

/** Allows a recorded ruling only for an answer that is stored outside the journal; other answers are ruled on again. */
export function assertStored(state: RunState, raw: Json): void {
  if (storedAt(raw) === null) throw impossibleEvent('a ruling on an answer that is not kept elsewhere', state);
}
