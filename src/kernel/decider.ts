import type { EventOf } from '../model/event.ts';
import { Fault, type FaultCode } from '../model/fault.ts';
import type { DecisionProof } from '../model/gate.ts';
import { Name } from '../model/name.ts';
import { own } from '../model/own.ts';
import { samePerson } from '../model/same-person.ts';
import { PLAN_EDIT } from './edited-args.ts';
import type { EditedCall, GateYes, OpenGate } from './people-state.ts';
import type { RunState } from './state.ts';

export type PersonalDecision =
  | 'gate_decided'
  | 'escalation_decided'
  | 'budget_extended'
  | 'run_resumed'
  | 'run_steered'
  | 'run_migrated'
  | 'run_taken_over';

/** What only a person can decide, and what it is called when nobody has. */
const DECISIONS: Readonly<Record<PersonalDecision, { readonly what: string; readonly code: FaultCode }>> = {
  gate_decided: { what: 'a gate can only be decided', code: 'approver_missing' },
  escalation_decided: { what: 'an escalation can only be decided', code: 'approver_missing' },
  budget_extended: { what: 'a budget can only be extended', code: 'operator_required' },
  run_resumed: { what: 'a paused session can only be resumed', code: 'operator_approval_required' },
  run_steered: { what: 'a session can only be steered', code: 'operator_required' },
  run_migrated: { what: 'a session can only be migrated', code: 'operator_required' },
  run_taken_over: { what: 'a session that is driven can only be taken over', code: 'operator_required' },
};

export const isPersonalDecision = (type: unknown): type is PersonalDecision =>
  typeof type === 'string' && Object.hasOwn(DECISIONS, type);

/** Blanks, marks and prose name nobody: whoever reads the record has to be able to ask the person. */
export function assertNamed(decision: PersonalDecision, name: unknown): void {
  if (Name.safeParse(name).success) return;
  const { what, code } = DECISIONS[decision];
  throw new Fault(code, `${what} by a named person: one name without blanks, such as ana or ana@example.com`);
}

/** Whether this is the one for whom the run acts, under whatever spelling. */
export function isRequester({ intake }: RunState, name: string): boolean {
  return intake.identity !== null && samePerson(name, intake.identity.actor);
}

/** A person is named, and it is not the one for whom the run acts: nobody approves what they asked for themselves. */
export function assertDecider(state: RunState, decision: PersonalDecision, name: string): void {
  assertNamed(decision, name);
  if (!isRequester(state, name)) return;
  const { what } = DECISIONS[decision];
  throw new Fault('permission_denied', `${what} by somebody else than ${name}, for whom the run acts`);
}

/** An answer is about what its giver was shown, by its hash: something else may be asked by now. */
export function assertAbout(asked: { readonly packetHash: string | null } | null, said: string | undefined): void {
  const shown = asked?.packetHash ?? undefined;
  if (said === shown) return;
  if (said === undefined) {
    const where = 'it is packetHash of the question, or handoverHash, in the outcome of the run';
    throw new Fault('grant_stale', `the answer has to name the packet that was shown, in packet_hash: ${where}`);
  }
  throw new Fault('grant_stale', 'the answer is about something else than what is asked now; look at it again');
}

/** What shows who decided holds for this tenant, and a signature for one decision. */
export function assertProof({ id, people }: RunState, name: string, proof: DecisionProof | undefined): void {
  if (proof === undefined) return;
  if (proof.signature !== undefined && people.signatures.includes(proof.signature)) {
    const message = `the signature of ${name} has been used before; look at what is asked and sign again`;
    throw new Fault('decision_replayed', message);
  }
  if (proof.tenant_id === id.tenantId) return;
  throw new Fault('permission_denied', `${name} decides for another tenant than the one of this run`);
}

/** A signature counts once, whatever it was given for. */
export function withSignature(state: RunState, proof: DecisionProof | undefined): RunState {
  if (proof?.signature === undefined) return state;
  return { ...state, people: { ...state.people, signatures: [...state.people.signatures, proof.signature] } };
}

/** A gate may want more of whoever decides it: a role, a second person, or one who has had no hand in the call yet. */
export function assertEntitled(state: RunState, gate: OpenGate, { approver, proof }: EventOf<'gate_decided'>): void {
  assertDecider(state, 'gate_decided', approver);
  assertProof(state, approver, proof);
  const { roles, separation } = gate.deciders;
  const held = proof?.roles ?? [];
  if (roles.length > 0 && !roles.some((role) => held.includes(role))) {
    const given = held.length === 0 ? 'no role was given' : `given was ${held.join(' and ')}`;
    throw new Fault(
      'permission_denied',
      `gate ${gate.name} is decided by ${roles.join(' or ')}, which ${approver} is not: ${given}`,
    );
  }
  if (includesPerson(gate.approvers, approver)) {
    throw new Fault('permission_denied', `${approver} has said yes already; somebody else has to as well`);
  }
  if (separation && hadAHand(state, gate, approver)) {
    throw new Fault(
      'permission_denied',
      `${approver} has had a hand in this call; gate ${gate.name} is for somebody else`,
    );
  }
}

/** Whether this person decided another gate of the same call, or changed what it will send. */
function hadAHand({ people }: RunState, gate: OpenGate, approver: string): boolean {
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

/** The edit that made the plan what it is now, if one did. */
function planEdit(edits: RunState['people']['edits'], { shown }: OpenGate): EditedCall | undefined {
  const edit = own(edits, PLAN_EDIT);
  return edit?.planHash === shown.planHash ? edit : undefined;
}

const includesPerson = (people: readonly GateYes[], name: string): boolean =>
  people.some((other) => samePerson(other.name, name));
