import { canonicalize } from '../model/canonical.ts';
import type { EventOf } from '../model/event.ts';
import { GATE_MODE_APPROVAL } from '../model/gate.ts';
import type { Json } from '../model/json.ts';
import { CLEAN, demandsGate, isGrantable, type RequestGrant, untrustedReach } from '../model/origin.ts';
import type { ToolSpec } from '../model/tool.ts';
import { impossible } from './reaction.ts';
import { spend } from './request-spent.ts';
import type { CurrentStep, RunState } from './state.ts';

/**
 * Holds a clearance against where the call comes from, which the kernel derives by itself: a journal in which a gate was
 * left out, a refusal was not made or a grant was invented is not believed.
 */
export function assertOrigin(
  state: RunState,
  { origin }: CurrentStep,
  spec: ToolSpec,
  event: EventOf<'step_cleared'>,
): void {
  const { granted, mode, gates } = event;
  if (granted !== undefined && !(isGrantable(mode) && isSame(granted, origin.grant))) {
    throw impossible('a grant that the request does not give', state);
  }
  if (origin === CLEAN) return;
  if (gates.length === 0 && demandsGate(spec, mode, origin)) {
    throw impossible('nobody would see that the call is made of untrusted things', state);
  }
  const refuses = state.manifest?.autonomy_boundary.tools.untrusted_arguments === 'refused';
  const reached = refuses ? untrustedReach(spec, mode, origin) : null;
  if (reached !== null) throw impossible(`the boundary refuses what stands at ${reached}`, state);
}

const isSame = (a: RequestGrant, b: RequestGrant | null): boolean =>
  a === b || (b !== null && canonicalize(a as unknown as Json) === canonicalize(b as unknown as Json));

/** The one gate that the requester's word stands for. */
export const isGranted = ({ granted }: EventOf<'step_cleared'>, gate: string): boolean =>
  granted !== undefined && gate === GATE_MODE_APPROVAL;

/** The requester's word is an approval like any other: it is on the record, once for each call, with what was asked for. */
export function noteGrant(state: RunState, { granted, step_id }: EventOf<'step_cleared'>): RunState {
  const { current } = state;
  if (granted === undefined || current === null) return state;
  const spent = spend(state, current);
  const { approvals } = spent.people;
  const noted = approvals.some((entry) => entry.step_id === step_id && entry.packet_hash === granted.request);
  if (noted) return spent;
  const entry = {
    gate: GATE_MODE_APPROVAL,
    step_id,
    approver: granted.by,
    decision: 'approve' as const,
    packet_hash: granted.request,
    decided_at: state.session.startedAt,
    basis: 'request' as const,
  };
  return { ...spent, people: { ...spent.people, approvals: [...approvals, entry] } };
}
