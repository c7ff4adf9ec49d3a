import { fitsPattern } from '../model/argument-rule.ts';
import type { EventOf } from '../model/event.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import type { StandingGrant } from '../model/grant.ts';
import type { JsonObject } from '../model/json.ts';
import { demandsGate, isGrantable } from '../model/origin.ts';
import type { ToolSpec } from '../model/tool.ts';
import { isRequester } from './decider.ts';
import type { KernelEnv } from './env.ts';
import { type GateDecider, gateRequest, whyNotAdmitted } from './gate-decision-policy.ts';
import { heldUntil } from './held-until.ts';
import { impossible } from './reaction.ts';
import type { CurrentStep, RunState } from './state.ts';

/** The call as a standing grant sees it. */
export interface GrantedCall {
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly mode: EventOf<'step_cleared'>['mode'];
  readonly origin: CurrentStep['origin'];
  /** When it may be sent, which is later than now where it is put off. */
  readonly sentAt: number;
}

/** The gate that a grant given in advance stands for. */
const MODE_GATE = { name: GATE_MODE_APPROVAL, kind: 'action' } as const;

/**
 * Whether a grant given in advance covers this call. Nothing that destroys, nothing that goes through a dispatcher, and
 * nothing an outsider may have had a hand in: those a person has to see, each time. And nothing that the giver could
 * not have approved at the gate itself: what they asked for themselves, or what the policies keep from them.
 */
export function covers(env: KernelEnv, state: RunState, grant: StandingGrant, call: GrantedCall): boolean {
  const { spec, args, mode, origin, sentAt } = call;
  return (
    isGrantable(mode) &&
    grant.tenant_id === state.id.tenantId &&
    grant.tool === spec.name &&
    spec.unwrap === undefined &&
    sentAt < grant.expires_at &&
    !demandsGate(spec, mode, origin) &&
    fitsPattern(grant.arguments, args) &&
    !isRequester(state, grant.approver) &&
    whyNotAdmitted(env, () => gateRequest(state, MODE_GATE, giverOf(grant))) === null
  );
}

const giverOf = ({ approver, proof }: StandingGrant): GateDecider => ({ name: approver, roles: proof.roles });

/** The one gate that a standing grant can open. */
export const isStanding = ({ standing }: EventOf<'step_cleared'>, gate: string): boolean =>
  standing !== undefined && gate === GATE_MODE_APPROVAL;

/** A journal that says a grant covered what it does not cover is not believed. */
export function assertStanding(env: KernelEnv, state: RunState, spec: ToolSpec, event: EventOf<'step_cleared'>): void {
  const { standing, mode } = event;
  const { current } = state;
  if (standing === undefined || current === null) return;
  const { args, origin } = current;
  const sentAt = Math.max(state.now, heldUntil(state, current, event));
  if (!covers(env, state, standing, { spec, args, mode, origin, sentAt }))
    throw impossible(`grant ${standing.grant_id} does not cover the call`, state);
}

/** A use of a standing grant is on the record like any approval, with who gave it. */
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
