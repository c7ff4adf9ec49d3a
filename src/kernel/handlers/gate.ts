import type { ApprovalEntry } from '../../model/critic/decision-record.ts';
import type { EventOf } from '../../model/events/event.ts';
import { Fault, unknownVariant } from '../../model/fault/fault.ts';
import { GATE_DECISION_RULES } from '../../model/gate/gate.ts';
import { openedGates } from '../../model/gate/gate-terms.ts';
import { samePerson } from '../../model/gate/signing-key.ts';
import type { Address } from '../../model/json/hash.ts';
import { own } from '../../model/json/json.ts';
import type { KernelEnv } from '../env.ts';
import { escalateRun } from '../flow/people/escalate.ts';
import { forgoMemory, writeMemories } from '../flow/people/memory.ts';
import { openScopes, reopenGate } from '../flow/people/open-gates.ts';
import { advance } from '../flow/plan/advance.ts';
import { assertDecider, assertProof, decidedParts, withSignature } from '../query/gate/decider.ts';
import { isUndecided, withGate, withoutDismissed } from '../query/gate/gate-parts.ts';
import { grantBinding } from '../query/gate/grants.ts';
import { realTools } from '../query/plan/tools.ts';
import { impossibleEvent, isRollingBack } from '../state/lifecycle.ts';
import { meterReview } from '../state/meters.ts';
import type { Grant, Inquiry, OpenGate, OpenGatePart } from '../state/people-state.ts';
import type { RunState } from '../state/run-state.ts';
import { NO_EFFECTS, type Reaction, type Reacts, raise } from '../transition/reaction.ts';
import { suspend, unsuspend } from '../transition/suspend.ts';
import { isAtNode } from '../transition/walk.ts';
import { editCall, editPlan } from './gate-edit.ts';
import { clearUndo, rejectUndo, undoEditFault } from './rollback.ts';

/** Whether the run has asked for a scope or memory gate. */
function hasOtherGate({ intake, ending }: RunState, kind: OpenGate['kind']): boolean {
  if (kind === 'scope') return intake.confirming !== undefined;
  return kind === 'memory' && ending.memory?.entries != null;
}

/**
 * Handles a decision on a scope or memory gate. Null for other gates, and for a rejected scope, which ends the run. A
 * rejected memory write keeps the answer.
 */
function decideOtherGate(
  env: KernelEnv,
  state: RunState,
  { gate, voted }: Decided,
  event: EventOf<'gate_decided'>,
): Reaction | null {
  if (gate.kind !== 'scope' && gate.kind !== 'memory') return null;
  switch (event.decision) {
    case 'approve':
      return approveOtherGate(state, { gate, voted });
    case 'reject':
      return gate.kind === 'memory' ? forgoMemory(env, unsuspend(state)) : null;
    case 'edit':
    case 'request_info':
      throw new Fault('event_illegal', `gate ${gate.name} is approved or rejected, nothing else`, {
        path: '/decision',
      });
    default:
      throw unknownVariant(event.decision, '/decision');
  }
}

/** Opens the scopes or writes the memory once the quorum is complete. */
function approveOtherGate(state: RunState, { gate, voted }: Pick<Decided, 'gate' | 'voted'>): Reaction {
  if (voted.gates.some(isUndecided)) return [withGate(state, gate, voted), NO_EFFECTS];
  const people = { ...state.people, gates: [], undecided: 0, decision: 'continue' as const };
  const granted = unsuspend({ ...state, people });
  return gate.kind === 'memory' ? writeMemories(granted) : openScopes(granted);
}

/** The maximum number of answers that do not decide a gate. The next one escalates. */
const UNSETTLED_MAX = 2;

/** Limits recorded refusals, so that repeated attempts cannot fill the journal. */
const REFUSALS_KEPT_MAX = 100;

const NO_TOOLS: readonly string[] = Object.freeze([]);

export const onGateOpened: Reacts<'gate_opened'> = (env, state, event) => {
  if (!isAtNode(env, state, 'human_approval') && !isRollingBack(state) && !hasOtherGate(state, event.gate_kind))
    throw impossibleEvent('a gate nobody asked for', state);
  const gate: OpenGate = {
    gateId: event.gate_id,
    name: event.name,
    kind: event.gate_kind,
    stepId: event.step_id,
    packetHash: event.packet_hash,
    tools: event.gate_kind === 'action' && state.current !== null ? realTools(env, state.current) : NO_TOOLS,
    openedAt: event.at,
    expiresAt: event.expires_at,
    gates: openedGates(event).map((terms) => ({ ...terms, approvers: [] })),
    shown: grantBinding(env, state),
  };
  const opened = { ...state, people: { ...state.people, gates: [...state.people.gates, gate] } };
  return [suspend(opened, 'awaiting_gate', null), NO_EFFECTS];
};

/** A decision on an open gate. */
interface Decided {
  readonly gate: OpenGate;
  /** The gate as the decision leaves it: without dismissed approvals and, if the decision approves, with the new one. */
  readonly voted: OpenGate;
  /** The parts of the gate that the decision is about. */
  readonly parts: readonly OpenGatePart[];
}

/** Accepts a decision by an entitled person, in time, about exactly the packet that was shown. */
export const onGateDecided: Reacts<'gate_decided'> = (env, state, event) => {
  const gate = state.people.gates.find((open) => open.gateId === event.gate_id);
  if (gate === undefined) throw new Fault('gate_closed', `gate ${event.gate_id} is not open`);
  if (state.now >= gate.expiresAt) throw new Fault('gate_closed', `gate ${event.gate_id} has expired`);
  assertDecider(state, 'gate_decided', event.approver);
  assertProof(state, event.approver, event.proof);
  const counted = withoutDismissed(gate, event.dismissed);
  const parts = decidedParts(env, withGate(state, gate, counted), counted, event);
  if (event.packet_hash !== gate.packetHash) {
    throw new Fault('grant_stale', `the decision is about another packet than the one gate ${event.gate_id} shows`);
  }
  if (!Object.hasOwn(GATE_DECISION_RULES, event.decision)) throw unknownVariant(event.decision as never, '/decision');
  if (event.asks !== undefined && GATE_DECISION_RULES[event.decision].brings !== 'asks') {
    throw new Fault('event_illegal', 'only a request for information names a person to ask', { path: '/asks' });
  }
  const signed = meterReview(withSignature(state, event.proof));
  const decided: Decided = { gate, voted: withVote(counted, parts, event), parts };
  const otherReaction = decideOtherGate(env, signed, decided, event);
  if (otherReaction !== null) return otherReaction;
  switch (event.decision) {
    case 'approve':
      return approveGate(env, signed, decided, event);
    case 'reject':
      return rejectGate(signed, decided, event);
    case 'edit':
      return editGate(env, signed, gate, event);
    case 'request_info':
      return requestInfo(env, signed, gate, event);
    default:
      throw unknownVariant(event.decision, '/decision');
  }
};

/** Records a refused decision for audits. The run does not change. */
export const onDecisionRefused: Reacts<'decision_refused'> = (_env, state) => {
  if (state.people.refused >= REFUSALS_KEPT_MAX) throw impossibleEvent('enough refused decisions are on record', state);
  return [{ ...state, people: { ...state.people, refused: state.people.refused + 1 } }, NO_EFFECTS];
};

function withVote(open: OpenGate, parts: readonly OpenGatePart[], event: EventOf<'gate_decided'>): OpenGate {
  const { approver: name, proof, at } = event;
  const approval = { name, keyId: proof?.key_id ?? null, at };
  const gates = open.gates.map((part) =>
    parts.includes(part) ? { ...part, approvers: [...part.approvers, approval] } : part,
  );
  const deadlines = gates.filter(isUndecided).map((part) => part.expires_at);
  return { ...open, gates, expiresAt: deadlines.length === 0 ? open.expiresAt : Math.min(...deadlines) };
}

function approveGate(
  env: KernelEnv,
  state: RunState,
  { gate, voted, parts }: Decided,
  event: EventOf<'gate_decided'>,
): Reaction {
  const recorded = withApprovals(state, gate, parts, event, 'approve');
  if (voted.gates.some(isUndecided)) return [withGate(recorded, gate, voted), NO_EFFECTS];
  const granted: RunState = {
    ...recorded,
    planning: gate.kind === 'plan' ? { ...state.planning, approved: true } : state.planning,
    people: {
      ...recorded.people,
      gates: state.people.gates.filter((open) => open !== gate),
      decision: 'continue',
      undecided: state.people.undecided - 1,
      grants: [...state.people.grants, ...voted.gates.map((part) => grantOf(voted, part))],
    },
  };
  if (granted.people.undecided > 0) return [granted, NO_EFFECTS];
  return isRollingBack(granted) ? clearUndo(unsuspend(granted)) : advance(env, unsuspend(granted));
}

/** The grant is bound to the packet as shown and is valid for as long as the gate was, from its last approval on. */
function grantOf({ gateId, gates, kind, stepId, packetHash, shown, openedAt }: OpenGate, part: OpenGatePart): Grant {
  const { name: approver, at } = part.approvers.at(-1) ?? { name: '', at: 0 };
  const grantId = gates.length > 1 ? `${gateId}/${part.name}` : gateId;
  const expiresAt = at + (part.expires_at - openedAt);
  return { grantId, gate: part.name, kind, stepId, packetHash, ...shown, approver, expiresAt, usedBy: null };
}

/** Ends the run after a rejection. A rejected plan is dropped. */
function rejectGate(state: RunState, { gate, parts }: Decided, event: EventOf<'gate_decided'>): Reaction {
  const rejected = parts.slice(0, 1);
  const name = rejected[0]?.name ?? gate.name;
  const detail = { gate: name, step_id: gate.stepId, approver: event.approver, reason: event.reason };
  const recorded = withApprovals(state, gate, rejected, event, 'reject');
  if (isRollingBack(state)) return rejectUndo(recorded);
  const planning = gate.kind === 'plan' ? { ...state.planning, active: null } : state.planning;
  const closed: RunState = { ...recorded, planning, people: { ...recorded.people, gates: [] } };
  return [raise(closed, { code: 'PERMISSION_DENIED', reason: 'approval_rejected', detail }), NO_EFFECTS];
}

function editGate(env: KernelEnv, state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  if (isRollingBack(state)) throw undoEditFault(gate);
  const { noted, answers } = countAnswer(state, gate);
  if (answers > UNSETTLED_MAX) return escalateUnsettled(env, noted, gate, answers);
  return gate.kind === 'plan' ? editPlan(env, noted, { gate, answers }, event) : editCall(env, noted, gate, event);
}

function requestInfo(env: KernelEnv, state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const inquiring = noteInquiry(state, gate, event);
  if (isRollingBack(inquiring)) return [inquiring, NO_EFFECTS];
  const { noted, answers } = countAnswer(inquiring, gate);
  return answers > UNSETTLED_MAX ? escalateUnsettled(env, noted, gate, answers) : [noted, NO_EFFECTS];
}

/** Counts the answers that did not decide a gate, per call, since one gate name serves many calls. */
function countAnswer(state: RunState, gate: OpenGate): { readonly noted: RunState; readonly answers: number } {
  const { answersPerGate } = state.people;
  const questionKey = `${gate.name} ${gate.stepId ?? ''} ${gate.shown.planHash}`;
  const answers = (own(answersPerGate, questionKey) ?? 0) + 1;
  const people = { ...state.people, answersPerGate: { ...answersPerGate, [questionKey]: answers } };
  return { noted: { ...state, people }, answers };
}

function escalateUnsettled(env: KernelEnv, state: RunState, gate: OpenGate, answers: number): Reaction {
  const detail = { gate: gate.name, answers };
  const withdrawn = unsuspend({ ...state, people: { ...state.people, gates: [], undecided: 0 } });
  return escalateRun(env, withdrawn, 'ambiguous_goal', { code: 'REVIEW_REQUIRED', reason: 'gate_unsettled', detail });
}

/** Records one entry for each gate that the decision is about. */
function withApprovals(
  state: RunState,
  { stepId, gates }: OpenGate,
  parts: readonly OpenGatePart[],
  event: EventOf<'gate_decided'>,
  decision: ApprovalEntry['decision'],
): RunState {
  if (stepId === null) return state;
  const { approver, packet_hash, at: decided_at, dismissed = [] } = event;
  const names = gates.map(({ name }) => name);
  const entries = parts.map(({ name: gate }) => ({
    gate,
    step_id: stepId,
    approver,
    decision,
    packet_hash,
    decided_at,
  }));
  const valid = state.people.approvals.filter(
    (approval) =>
      !names.includes(approval.gate) || approval.step_id !== stepId || !dismissed.includes(approval.approver),
  );
  return { ...state, people: { ...state.people, approvals: [...valid, ...entries] } };
}

/** Records an approver's question, and the person it is addressed to. Defaults to the requester of the run. */
function noteInquiry(state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): RunState {
  const { approver: asked_by, asks, reason: question, at: asked_at } = event;
  const asked_of = asks ?? state.intake.identity?.actor ?? asked_by;
  const { gateId, name, stepId, shown } = gate;
  const asked = { asked_by, asked_of, question, asked_at };
  const inquiry: Inquiry = { gateId, gate: name, stepId, planHash: shown.planHash, asked, answer: null };
  return { ...state, people: { ...state.people, inquiries: [...state.people.inquiries, inquiry] } };
}

/** Records the answer. The gate opens again with the exchange, under a new hash. */
export const onInfoProvided: Reacts<'info_provided'> = (env, state, event) => {
  const gate = state.people.gates.find((open) => open.gateId === event.gate_id);
  if (gate === undefined) throw new Fault('gate_closed', `gate ${event.gate_id} is not open`);
  if (state.now >= gate.expiresAt) throw new Fault('gate_closed', `gate ${event.gate_id} has expired`);
  if (event.packet_hash !== gate.packetHash) {
    throw new Fault('grant_stale', `the answer is about another packet than the one gate ${event.gate_id} shows`);
  }
  assertProof(state, event.by, event.proof);
  if (event.text === undefined && event.evidence === undefined) {
    throw new Fault('input_missing', 'an answer says something: text, evidence, or both', { path: '/text' });
  }
  const { inquiries } = state.people;
  const inquiry = openInquiry(inquiries, gate, event.by);
  const answer = {
    answered_by: event.by,
    text: event.text ?? null,
    evidence: (event.evidence ?? []) as readonly Address[],
    answered_at: event.at,
  };
  const answered = inquiries.map((each) => (each === inquiry ? { ...inquiry, answer } : each));
  const signed = withSignature(state, event.proof);
  return reopenGate(env, { ...signed, people: { ...signed.people, inquiries: answered } }, gate);
};

/** The oldest open question of this gate to this person. */
function openInquiry(inquiries: readonly Inquiry[], { gateId }: OpenGate, by: string): Inquiry {
  const open = inquiries.filter((inquiry) => inquiry.gateId === gateId && inquiry.answer === null);
  const [first] = open;
  if (first === undefined) {
    throw new Fault('info_not_requested', `gate ${gateId} has no open request for information`);
  }
  const theirs = open.find(({ asked }) => samePerson(asked.asked_of, by));
  if (theirs !== undefined) return theirs;
  throw new Fault('permission_denied', `${first.asked.asked_of} was asked at gate ${gateId}, and not ${by}`);
}
