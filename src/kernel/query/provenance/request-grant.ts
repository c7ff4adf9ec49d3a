import type { EventOf } from '../../../model/events/event.ts';
import {
  CLEAN,
  isGrantable,
  needsProvenanceGate,
  type RequestGrant,
  untrustedReach,
} from '../../../model/evidence/origin.ts';
import { GATE_MODE_APPROVAL } from '../../../model/gate/gate.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import { type Json, own } from '../../../model/json/json.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import { callKey } from '../../state/call-state.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';

/**
 * Checks a clearance against the origin that the kernel derives itself. Rejects a journal with a missing gate, a
 * missing refusal or an invented grant.
 */
export function assertOrigin(
  state: RunState,
  { origin }: CurrentStep,
  spec: ToolSpec,
  event: EventOf<'step_cleared'>,
): void {
  const { granted, mode, gates } = event;
  if (granted !== undefined && !(isGrantable(mode) && isSame(granted, origin.grant))) {
    throw impossibleEvent('a grant that the request does not give', state);
  }
  if (origin === CLEAN) return;
  if (gates.length === 0 && needsProvenanceGate(spec, mode, origin)) {
    throw impossibleEvent('nobody would see that the call is made of untrusted things', state);
  }
  const refuses = state.manifest?.autonomy_boundary.tools.untrusted_arguments === 'refused';
  const reached = refuses ? untrustedReach(spec, mode, origin) : null;
  if (reached !== null) throw impossibleEvent(`the boundary refuses what stands at ${reached}`, state);
}

const isSame = (a: RequestGrant, b: RequestGrant | null): boolean =>
  a === b || (b !== null && canonicalize(a as unknown as Json) === canonicalize(b as unknown as Json));

/** Whether the requester's grant opens the gate. */
export const isGranted = ({ granted }: EventOf<'step_cleared'>, gate: string): boolean =>
  granted !== undefined && gate === GATE_MODE_APPROVAL;

/** Records the requester's grant as an approval, once per call. */
export function noteGrant(state: RunState, { granted, step_id }: EventOf<'step_cleared'>): RunState {
  const { current } = state;
  if (granted === undefined || current === null) return state;
  const marked = markSpent(state, current);
  const { approvals } = marked.people;
  const noted = approvals.some((entry) => entry.step_id === step_id && entry.packet_hash === granted.request);
  if (noted) return marked;
  const entry = {
    gate: GATE_MODE_APPROVAL,
    step_id,
    approver: granted.by,
    decision: 'approve' as const,
    packet_hash: granted.request,
    decided_at: state.session.startedAt,
    basis: 'request' as const,
  };
  return { ...marked, people: { ...marked.people, approvals: [...approvals, entry] } };
}

type RequestedCall = Pick<CurrentStep, 'tool' | 'argsHash' | 'stepId'>;

const stepKey = ({ planning }: RunState, { stepId }: RequestedCall): string => `${planning.active?.hash} ${stepId}`;

/**
 * Whether the request already granted this call to another step. A request grants a call once; only that step may retry
 * it under the same plan.
 */
export function isSpent(state: RunState, call: RequestedCall): boolean {
  const grantedTo = own(state.people.requested, callKey(call.tool, call.argsHash));
  return grantedTo !== undefined && grantedTo !== stepKey(state, call);
}

function markSpent(state: RunState, call: RequestedCall): RunState {
  const requested = { ...state.people.requested, [callKey(call.tool, call.argsHash)]: stepKey(state, call) };
  return { ...state, people: { ...state.people, requested } };
}
