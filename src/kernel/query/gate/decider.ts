import type { EventOf } from '../../../model/events/event.ts';
import { Fault, unknownVariant } from '../../../model/fault/fault.ts';
import { type DecisionProof, GATE_DECISIONS } from '../../../model/gate/gate.ts';
import { admitsRoles, coveredTogether, type GateTerms } from '../../../model/gate/gate-terms.ts';
import { samePerson } from '../../../model/gate/signing-key.ts';
import { assertPersonName, PERSONAL_DECISIONS, type PersonalDecision } from '../../../model/gate/signing-text.ts';
import { own } from '../../../model/json/json.ts';
import type { KernelEnv } from '../../env.ts';
import type { EditedCall, GateApproval, OpenGate, OpenGatePart } from '../../state/people-state.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { PLAN_EDIT } from '../plan/drafts.ts';
import { isUndecided, withGate, withoutDismissed } from './gate-parts.ts';
import { decidersOf, gateRequest, whyNotAdmitted } from './gate-policy.ts';

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

/** A person who wants to decide at an open request. */
interface GateVisitor {
  readonly approver: string;
  readonly proof?: DecisionProof | undefined;
}

/**
 * Why this person cannot decide one gate of an open request; null if they can. The gate requires a role, a second person
 * and the separation of duties.
 */
function whyNotEntitled(
  env: KernelEnv,
  state: RunState,
  open: OpenGate,
  part: OpenGatePart,
  { approver, proof }: GateVisitor,
): string | null {
  const { name, deciders } = part;
  const heldRoles = proof?.roles ?? [];
  if (!admitsRoles(deciders, heldRoles)) {
    const rolesText = heldRoles.length === 0 ? 'no role was given' : `given was ${heldRoles.join(' and ')}`;
    return `gate ${name} is decided by ${deciders.roles.join(' or ')}, which ${approver} is not: ${rolesText}`;
  }
  if (includesPerson(part.approvers, approver)) {
    return `${approver} has approved already; another person has to approve as well`;
  }
  if (!isSeparated(env, state, open, part, approver)) {
    return `${approver} took part in this call; another person decides gate ${name}`;
  }
  return whyNotAdmitted(env, () => gateRequest(state, { name, kind: open.kind }, { name: approver, roles: heldRoles }));
}

/** Whether the separation of duties lets this person decide the gate. */
function isSeparated(env: KernelEnv, state: RunState, open: OpenGate, part: OpenGatePart, approver: string): boolean {
  const others = gatesApprovedBy(env, state, open, part, approver);
  const { separation } = part.deciders;
  // In recorded runs, the order of two approvals decided whether one person could give both (ADR 0130).
  if (!separation)
    return (
      open.stepId === null || !hasRule(state, 'gates_together') || others.every(({ deciders }) => !deciders.separation)
    );
  return others.length === 0 && !hasEdited(state, open, approver);
}

/** The other gates of the same call that this person approved. */
function gatesApprovedBy(
  env: KernelEnv,
  { people }: RunState,
  { stepId }: OpenGate,
  part: OpenGatePart,
  approver: string,
): readonly Pick<GateTerms, 'name' | 'deciders'>[] {
  const granted = people.grants
    .filter((grant) => grant.stepId === stepId && grant.gate !== part.name && samePerson(grant.approver, approver))
    .map(({ gate: name }) => ({ name, deciders: decidersOf(env, name) }));
  const open = people.gates
    .filter((request) => request.stepId === stepId)
    .flatMap(({ gates }) => gates)
    .filter((other) => other !== part && includesPerson(other.approvers, approver));
  return [...granted, ...open];
}

/** Whether this person edited what the request shows. */
function hasEdited({ people }: RunState, open: OpenGate, approver: string): boolean {
  const edit = open.stepId === null ? planEdit(people.edits, open) : own(people.edits, open.stepId);
  return edit !== undefined && samePerson(edit.by, approver);
}

/**
 * The gates of a request that a decision is about. An approval covers the gates that it names; every other decision is
 * about the call, and takes one gate that the person may decide.
 */
export function decidedParts(
  env: KernelEnv,
  state: RunState,
  open: OpenGate,
  event: EventOf<'gate_decided'>,
): readonly OpenGatePart[] {
  if (!GATE_DECISIONS.includes(event.decision)) throw unknownVariant(event.decision as never, '/decision');
  const { parts, refusals } = entitledGates(env, state, open, event);
  if (event.decision !== 'approve') {
    if (event.gates !== undefined) throw new Fault('event_illegal', 'only an approval names gates', { path: '/gates' });
    if (parts.length === 0) throw new Fault('permission_denied', refusals.join('; '));
    return parts;
  }
  if (event.gates !== undefined) return namedParts(env, state, open, event, event.gates);
  if (parts.length === 0) throw new Fault('permission_denied', refusals.join('; '));
  if (open.gates.length === 1) return parts;
  const names = open.gates.filter(isUndecided).map(({ name }) => name);
  const message = `gate ${open.gateId} waits for ${names.join(' and ')}: the approval has to name in "gates" those that it covers`;
  throw new Fault('input_missing', message, { path: '/gates' });
}

/** The undecided gates among those that an approval names. The person has to be entitled to every one of them. */
function namedParts(
  env: KernelEnv,
  state: RunState,
  open: OpenGate,
  visitor: GateVisitor,
  names: readonly string[],
): readonly OpenGatePart[] {
  const unknown = names.find((name) => open.gates.every((part) => part.name !== name));
  if (unknown !== undefined) {
    const known = open.gates.map(({ name }) => name).join(' and ');
    throw new Fault('input_invalid', `gate ${open.gateId} is for ${known}, not for ${unknown}`, { path: '/gates' });
  }
  const parts = open.gates.filter((part) => names.includes(part.name) && isUndecided(part));
  if (parts.length === 0) {
    throw new Fault('gate_closed', `${names.join(' and ')} of gate ${open.gateId} is decided already`);
  }
  const refusals = parts.flatMap((part) => whyNotEntitled(env, state, open, part, visitor) ?? []);
  if (refusals.length > 0) throw new Fault('permission_denied', refusals.join('; '));
  const separated = parts.length > 1 ? parts.find(({ deciders }) => deciders.separation) : undefined;
  if (separated === undefined) return parts;
  throw new Fault('permission_denied', `gate ${separated.name} separates duties: one person approves it alone`);
}

/** The undecided gates of a request that this person can decide, and the reasons why they cannot decide the others. */
function entitledGates(
  env: KernelEnv,
  state: RunState,
  open: OpenGate,
  visitor: GateVisitor,
): { readonly parts: readonly OpenGatePart[]; readonly refusals: readonly string[] } {
  const ruled = open.gates
    .filter(isUndecided)
    .map((part) => ({ part, why: whyNotEntitled(env, state, open, part, visitor) }));
  return {
    parts: ruled.flatMap(({ part, why }) => (why === null ? [part] : [])),
    refusals: ruled.flatMap(({ why }) => (why === null ? [] : [why])),
  };
}

/** The gates that one approval by this person covers if they name none. */
export function coverableGates(
  env: KernelEnv,
  state: RunState,
  open: OpenGate,
  visitor: GateVisitor & { readonly dismissed?: readonly string[] },
): readonly string[] {
  const counted = withoutDismissed(open, visitor.dismissed);
  return coveredTogether(entitledGates(env, withGate(state, open, counted), counted, visitor).parts);
}

/** The edit that produced the current plan, if any. */
function planEdit(edits: RunState['people']['edits'], { shown }: OpenGate): EditedCall | undefined {
  const edit = own(edits, PLAN_EDIT);
  return edit?.planHash === shown.planHash ? edit : undefined;
}

const includesPerson = (people: readonly GateApproval[], name: string): boolean =>
  people.some((other) => samePerson(other.name, name));
