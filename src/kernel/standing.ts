import { fitsPattern } from '../model/argument-rule.ts';
import type { EventOf } from '../model/event.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import type { StandingGrant } from '../model/grant.ts';
import type { JsonObject } from '../model/json.ts';
import { demandsGate, isGrantable } from '../model/origin.ts';
import type { ToolSpec } from '../model/tool.ts';
import { impossible } from './reaction.ts';
import type { CurrentStep, RunState } from './state.ts';

/** The call as a standing grant sees it. */
export interface GrantedCall {
  readonly tenantId: string;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly mode: EventOf<'step_cleared'>['mode'];
  readonly origin: CurrentStep['origin'];
  readonly now: number;
}

/**
 * Whether a grant given in advance covers this call. Nothing that destroys, nothing that goes through a dispatcher, and
 * nothing an outsider may have had a hand in: those a person has to see, each time.
 */
export function covers(grant: StandingGrant, { tenantId, spec, args, mode, origin, now }: GrantedCall): boolean {
  return (
    isGrantable(mode) &&
    grant.tenant_id === tenantId &&
    grant.tool === spec.name &&
    spec.unwrap === undefined &&
    now < grant.expires_at &&
    !demandsGate(spec, mode, origin) &&
    fitsPattern(grant.arguments, args)
  );
}

/** The one gate that a standing grant can open. */
export const isStanding = ({ standing }: EventOf<'step_cleared'>, gate: string): boolean =>
  standing !== undefined && gate === GATE_MODE_APPROVAL;

/** A journal that says a grant covered what it does not cover is not believed. */
export function assertStanding(state: RunState, spec: ToolSpec, event: EventOf<'step_cleared'>): void {
  const { standing, mode } = event;
  const { current } = state;
  if (standing === undefined || current === null) return;
  const { args, origin } = current;
  const call = { tenantId: state.id.tenantId, spec, args, mode, origin, now: state.now };
  if (!covers(standing, call)) throw impossible(`grant ${standing.grant_id} does not cover the call`, state);
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
  };
  return { ...state, people: { ...state.people, approvals: [...approvals, entry] } };
}
