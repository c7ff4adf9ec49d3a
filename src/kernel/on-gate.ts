import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { ANYBODY_ELSE } from '../model/gate.ts';
import { own } from '../model/own.ts';
import { advance } from './advance.ts';
import { asksBeside, decideBeside } from './beside-gates.ts';
import { raise } from './closing.ts';
import { assertEntitled, withSignature } from './decider.ts';
import { editCall } from './edit-call.ts';
import { editPlan } from './edit-plan.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { assertPolicyAdmits } from './gate-decision-policy.ts';
import { noteInquiry } from './gate-info.ts';
import { boundTo } from './grants.ts';
import type { Grant, OpenGate } from './people-state.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import { realTools } from './real-tools.ts';
import { undoRejected, undoUnsettled } from './rollback/on-rollback-over.ts';
import { clearUndo } from './rollback/on-undo.ts';
import { isRollingBack } from './rollback/step-at-hand.ts';
import type { RunState } from './state.ts';
import { suspend, unsuspend } from './suspend.ts';
import { standsOn } from './walk.ts';

/** Answers to one gate that settle nothing: the third goes to somebody with more authority. */
const UNSETTLED_MAX = 2;

/** A stranger who keeps trying must not be able to fill a journal. */
const REFUSALS_KEPT_MAX = 100;

const NO_TOOLS: readonly string[] = Object.freeze([]);

export const onGateOpened: Reacts<'gate_opened'> = (env, state, event) => {
  if (!standsOn(env, state, 'human_approval') && !isRollingBack(state) && !asksBeside(state, event.gate_kind))
    throw impossible('a gate nobody asked for', state);
  const gate: OpenGate = {
    gateId: event.gate_id,
    name: event.name,
    kind: event.gate_kind,
    stepId: event.step_id,
    packetHash: event.packet_hash,
    tools: event.gate_kind === 'action' && state.current !== null ? realTools(env, state.current) : NO_TOOLS,
    openedAt: event.at,
    expiresAt: event.expires_at,
    deciders: event.deciders ?? ANYBODY_ELSE,
    shown: boundTo(env, state),
    approvers: [],
  };
  const opened = { ...state, people: { ...state.people, gates: [...state.people.gates, gate] } };
  return [suspend(opened, 'awaiting_gate', null), NOTHING];
};

/** A decision counts only if somebody entitled to it made it, in time, about exactly what was shown. */
export const onGateDecided: Reacts<'gate_decided'> = (env, state, event) => {
  const gate = state.people.gates.find((open) => open.gateId === event.gate_id);
  if (gate === undefined) throw new Fault('gate_closed', `gate ${event.gate_id} is not open`);
  if (state.now >= gate.expiresAt) throw new Fault('gate_closed', `gate ${event.gate_id} has expired`);
  const counted = withoutDismissed(gate, event);
  assertEntitled(state, counted, event);
  assertPolicyAdmits(env, state, gate, { name: event.approver, roles: event.proof?.roles ?? [] });
  if (event.packet_hash !== gate.packetHash) {
    throw new Fault('grant_stale', `the decision is about another packet than the one gate ${event.gate_id} shows`);
  }
  if (event.asks !== undefined && event.decision !== 'request_info') {
    throw new Fault('event_illegal', 'only a request for information names somebody who is asked', { path: '/asks' });
  }
  const heard = withSignature(state, event.proof);
  const beside = decideBeside(env, heard, { gate, counted }, event);
  if (beside !== null) return beside;
  if (event.decision === 'approve') return approved(env, heard, { gate, counted }, event);
  if (event.decision === 'reject') return rejected(heard, gate, event);
  return unsettled(env, heard, gate, event);
};

/** On record for whoever audits the run; for the run itself nothing has happened. */
export const onDecisionRefused: Reacts<'decision_refused'> = (_env, state) => {
  if (state.people.refused >= REFUSALS_KEPT_MAX) throw impossible('enough refused decisions are on record', state);
  return [{ ...state, people: { ...state.people, refused: state.people.refused + 1 } }, NOTHING];
};

/** The gate without what was said with keys that are good no more. An event can take a yes away, and never add one. */
function withoutDismissed(gate: OpenGate, { dismissed = [] }: EventOf<'gate_decided'>): OpenGate {
  if (dismissed.length === 0) return gate;
  return { ...gate, approvers: gate.approvers.filter(({ name }) => !dismissed.includes(name)) };
}

interface Counted {
  readonly gate: OpenGate;
  /** The same gate, with those who still count. */
  readonly counted: OpenGate;
}

function approved(
  env: KernelEnv,
  state: RunState,
  { gate, counted }: Counted,
  event: EventOf<'gate_decided'>,
): Reaction {
  const recorded = withApproval(state, gate, event);
  const approvers = [...counted.approvers, { name: event.approver, keyId: event.proof?.key_id ?? null }];
  if (approvers.length < gate.deciders.quorum) {
    const gates = recorded.people.gates.map((open) => (open === gate ? { ...gate, approvers } : open));
    return [{ ...recorded, people: { ...recorded.people, gates } }, NOTHING];
  }
  const granted: RunState = {
    ...recorded,
    planning: gate.kind === 'plan' ? { ...state.planning, approved: true } : state.planning,
    people: {
      ...recorded.people,
      gates: state.people.gates.filter((open) => open !== gate),
      decision: 'continue',
      undecided: state.people.undecided - 1,
      grants: [...state.people.grants, grantOf(gate, event)],
    },
  };
  if (granted.people.undecided > 0) return [granted, NOTHING];
  return isRollingBack(granted) ? clearUndo(unsuspend(granted)) : advance(env, unsuspend(granted));
}

/** Bound to what the packet showed, whatever the run has come to know since, and good for as long as the gate had. */
function grantOf(gate: OpenGate, { approver, at }: EventOf<'gate_decided'>): Grant {
  const { gateId: grantId, name, kind, stepId, packetHash, shown } = gate;
  const expiresAt = at + (gate.expiresAt - gate.openedAt);
  return { grantId, gate: name, kind, stepId, packetHash, ...shown, approver, expiresAt, usedBy: null };
}

/** A no ends the session, and a plan that was turned down is nobody's plan. Nothing relaxes a gate. */
function rejected(state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const detail = { gate: gate.name, step_id: gate.stepId, approver: event.approver, reason: event.reason };
  const recorded = withApproval(state, gate, event);
  if (isRollingBack(state)) return undoRejected(recorded);
  const planning = gate.kind === 'plan' ? { ...state.planning, active: null } : state.planning;
  const closed: RunState = { ...recorded, planning, people: { ...recorded.people, gates: [] } };
  return [raise(closed, { code: 'PERMISSION_DENIED', reason: 'approval_rejected', detail }), NOTHING];
}

function unsettled(env: KernelEnv, before: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const state = event.decision === 'request_info' ? noteInquiry(before, gate, event) : before;
  if (isRollingBack(state)) return undoUnsettled(state, gate, event);
  // Gates of one name are asked again and again in a run; what was not settled of one call says nothing of the next.
  const { answersPerGate: answers } = state.people;
  const asked = `${gate.name} ${gate.stepId ?? ''} ${gate.shown.planHash}`;
  const count = (own(answers, asked) ?? 0) + 1;
  const answersPerGate = { ...answers, [asked]: count };
  const noted: RunState = { ...state, people: { ...state.people, answersPerGate } };
  if (count <= UNSETTLED_MAX) {
    if (event.decision !== 'edit') return [noted, NOTHING];
    const edited = { gate, answers: count };
    return gate.kind === 'plan' ? editPlan(env, noted, edited, event) : editCall(env, noted, gate, event);
  }
  const detail = { gate: gate.name, answers: count };
  const withdrawn = unsuspend({ ...noted, people: { ...noted.people, gates: [], undecided: 0 } });
  return escalateRun(env, withdrawn, 'ambiguous_goal', { code: 'REVIEW_REQUIRED', reason: 'gate_unsettled', detail });
}

function withApproval(state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): RunState {
  if (gate.stepId === null || event.decision === 'edit' || event.decision === 'request_info') return state;
  const entry = {
    gate: gate.name,
    step_id: gate.stepId,
    approver: event.approver,
    decision: event.decision,
    packet_hash: event.packet_hash,
    decided_at: event.at,
  };
  const { dismissed = [] } = event;
  const counting = state.people.approvals.filter(
    (given) => given.gate !== gate.name || given.step_id !== gate.stepId || !dismissed.includes(given.approver),
  );
  return { ...state, people: { ...state.people, approvals: [...counting, entry] } };
}
