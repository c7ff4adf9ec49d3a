import type { EventOf } from '../../../model/events/event.ts';
import { isGrantable, needsProvenanceGate } from '../../../model/evidence/origin.ts';
import { GATE_MODE_APPROVAL } from '../../../model/gate/gate.ts';
import type { StandingGrant } from '../../../model/gate/grant.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import { fitsPattern } from '../../../model/tool/argument-rule.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { earliestDispatch } from '../call/tool-call.ts';
import { isRequester } from './decider.ts';
import { type GateDecider, gateRequest, whyNotAdmitted } from './gate-policy.ts';

/** The properties of a call that a standing grant is matched against. */
export interface GrantedCall {
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly mode: EventOf<'step_cleared'>['mode'];
  readonly origin: CurrentStep['origin'];
  /** The earliest dispatch; later than now for a postponed call. */
  readonly sentAt: number;
}

/** The gate that a standing grant opens. */
const MODE_GATE = { name: GATE_MODE_APPROVAL, kind: 'action' } as const;

/**
 * Whether a standing grant covers this call. It never covers destructive calls, calls through a dispatcher, or calls
 * that an untrusted source may have influenced: a person has to see each of those. Nor does it cover a call that its
 * approver could not approve at the gate, because they requested it or because the policies refuse them.
 */
export function grantCovers(env: KernelEnv, state: RunState, grant: StandingGrant, call: GrantedCall): boolean {
  const { spec, args, mode, origin, sentAt } = call;
  return (
    isGrantable(mode) &&
    grant.tenant_id === state.id.tenantId &&
    grant.tool === spec.name &&
    spec.unwrap === undefined &&
    sentAt < grant.expires_at &&
    !needsProvenanceGate(spec, mode, origin) &&
    fitsPattern(grant.arguments, args) &&
    !isRequester(state, grant.approver) &&
    whyNotAdmitted(env, () => gateRequest(state, MODE_GATE, approverOf(grant))) === null
  );
}

const approverOf = ({ approver, proof }: StandingGrant): GateDecider => ({ name: approver, roles: proof.roles });

/** Whether the standing grant of this event opens the gate. */
export const isOpenedByStandingGrant = ({ standing }: EventOf<'step_cleared'>, gate: string): boolean =>
  standing !== undefined && gate === GATE_MODE_APPROVAL;

/** Rejects a journal in which a standing grant covers a call that it does not cover. */
export function assertStanding(env: KernelEnv, state: RunState, spec: ToolSpec, event: EventOf<'step_cleared'>): void {
  const { standing, mode } = event;
  const { current } = state;
  if (standing === undefined || current === null) return;
  const { args, origin } = current;
  const sentAt = Math.max(state.now, earliestDispatch(state, current, event));
  if (!grantCovers(env, state, standing, { spec, args, mode, origin, sentAt }))
    throw impossibleEvent(`grant ${standing.grant_id} does not cover the call`, state);
}

/** Records the use of a standing grant as an approval by the person who gave it. */
export function noteStanding(state: RunState, { standing, step_id, args_hash }: EventOf<'step_cleared'>): RunState {
  if (standing === undefined) return state;
  const { approvals } = state.people;
  if (approvals.some((entry) => entry.step_id === step_id && entry.packet_hash === args_hash)) return state;
  const { approver, granted_at: decided_at } = standing;
  const entry = {
    gate: GATE_MODE_APPROVAL,
    step_id,
    approver,
    decision: 'approve' as const,
    packet_hash: args_hash,
    decided_at,
    basis: 'standing_grant' as const,
  };
  return { ...state, people: { ...state.people, approvals: [...approvals, entry] } };
}
