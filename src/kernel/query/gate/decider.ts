import type { EventOf } from '../../../model/events/event.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { DecisionProof } from '../../../model/gate/gate.ts';
import { samePerson } from '../../../model/gate/signing-key.ts';
import { assertPersonName, PERSONAL_DECISIONS, type PersonalDecision } from '../../../model/gate/signing-text.ts';
import { own } from '../../../model/json/json.ts';
import type { EditedCall, GateApproval, OpenGate } from '../../state/people-state.ts';
import type { RunState } from '../../state/run-state.ts';
import { PLAN_EDIT } from '../plan/drafts.ts';

/** Whether this name, in any spelling, is the user for whom the run acts. */
export function isRequester({ intake }: RunState, name: string): boolean {
  return intake.identity !== null && samePerson(name, intake.identity.actor);
}

/** Requires a named person other than the requester, who may not approve their own request. */
export function assertDecider(state: RunState, decision: PersonalDecision, name: string): void {
  assertPersonName(decision, name);
  if (!isRequester(state, name)) return;
  const { what } = PERSONAL_DECISIONS[decision];
  throw new Fault('permission_denied', `${what} by another person than ${name}, for whom the run acts`);
}

/** Requires the hash of the packet that the person was shown: the open question may have changed since. */
export function assertPacketHash(
  question: { readonly packetHash: string | null } | null,
  answeredHash: string | undefined,
): void {
  const shownHash = question?.packetHash ?? undefined;
  if (answeredHash === shownHash) return;
  if (answeredHash === undefined) {
    const hint = 'it is packetHash of the question, or handoverHash, in the outcome of the run';
    throw new Fault('grant_stale', `the answer has to name the packet that was shown, in packet_hash: ${hint}`);
  }
  throw new Fault('grant_stale', 'the answer is about something else than what is asked now; look at it again');
}

/** Requires a proof for this run's tenant, and a signature that was not used before. */
export function assertProof({ id, people }: RunState, name: string, proof: DecisionProof | undefined): void {
  if (proof === undefined) return;
  if (proof.signature !== undefined && people.signatures.includes(proof.signature)) {
    const message = `the signature of ${name} has been used before; look at what is asked and sign again`;
    throw new Fault('decision_replayed', message);
  }
  if (proof.tenant_id === id.tenantId) return;
  throw new Fault('permission_denied', `${name} decides for another tenant than the one of this run`);
}

/** Records a signature as used; it counts for one decision. */
export function withSignature(state: RunState, proof: DecisionProof | undefined): RunState {
  if (proof?.signature === undefined) return state;
  return { ...state, people: { ...state.people, signatures: [...state.people.signatures, proof.signature] } };
}

/** Checks the requirements of a gate: the role of the decider, a second person, and the separation of duties. */
export function assertEntitled(state: RunState, gate: OpenGate, { approver, proof }: EventOf<'gate_decided'>): void {
  assertDecider(state, 'gate_decided', approver);
  assertProof(state, approver, proof);
  const { roles, separation } = gate.deciders;
  const heldRoles = proof?.roles ?? [];
  if (roles.length > 0 && !roles.some((role) => heldRoles.includes(role))) {
    const rolesText = heldRoles.length === 0 ? 'no role was given' : `given was ${heldRoles.join(' and ')}`;
    throw new Fault(
      'permission_denied',
      `gate ${gate.name} is decided by ${roles.join(' or ')}, which ${approver} is not: ${rolesText}`,
    );
  }
  if (includesPerson(gate.approvers, approver)) {
    throw new Fault('permission_denied', `${approver} has approved already; another person has to approve as well`);
  }
  if (separation && wasInvolved(state, gate, approver)) {
    throw new Fault(
      'permission_denied',
      `${approver} took part in this call; another person decides gate ${gate.name}`,
    );
  }
}

/** Whether this person decided another gate of the same call, or edited the call. */
function wasInvolved({ people }: RunState, gate: OpenGate, approver: string): boolean {
  const decided = people.grants.some(
    (grant) => grant.stepId === gate.stepId && grant.gate !== gate.name && samePerson(grant.approver, approver),
  );
  const deciding = people.gates.some(
    (open) => open !== gate && open.stepId === gate.stepId && includesPerson(open.approvers, approver),
  );
  const edit = gate.stepId === null ? planEdit(people.edits, gate) : own(people.edits, gate.stepId);
  const edited = edit !== undefined && samePerson(edit.by, approver);
  return decided || deciding || edited;
}

/** The edit that produced the current plan, if any. */
function planEdit(edits: RunState['people']['edits'], { shown }: OpenGate): EditedCall | undefined {
  const edit = own(edits, PLAN_EDIT);
  return edit?.planHash === shown.planHash ? edit : undefined;
}

const includesPerson = (people: readonly GateApproval[], name: string): boolean =>
  people.some((other) => samePerson(other.name, name));
