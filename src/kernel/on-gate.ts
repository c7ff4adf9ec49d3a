import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { own } from '../model/own.ts';
import { advance } from './advance.ts';
import { raise } from './closing.ts';
import { assertDecider } from './decider.ts';
import type { KernelEnv } from './env.ts';
import { escalateRun } from './escalate-run.ts';
import { impossible, NOTHING, type Reaction, type Reacts } from './reaction.ts';
import type { OpenGate, RunState } from './state.ts';
import { suspend, unsuspend } from './suspend.ts';
import { standsOn } from './walk.ts';

/** Answers to one gate that settle nothing: the third goes to somebody with more authority. */
const UNSETTLED_MAX = 2;

export const onGateOpened: Reacts<'gate_opened'> = (env, state, event) => {
  if (!standsOn(env, state, 'human_approval')) throw impossible('a gate nobody asked for', state);
  const gate: OpenGate = {
    gateId: event.gate_id,
    name: event.name,
    kind: event.gate_kind,
    stepId: event.step_id,
    packetHash: event.packet_hash,
    openedAt: event.at,
    expiresAt: event.expires_at,
  };
  const opened = { ...state, people: { ...state.people, gates: [...state.people.gates, gate] } };
  return [suspend(opened, 'awaiting_gate', null), NOTHING];
};

/** A decision counts only if a named person made it, in time, about exactly what was shown. */
export const onGateDecided: Reacts<'gate_decided'> = (env, state, event) => {
  const gate = state.people.gates.find((open) => open.gateId === event.gate_id);
  if (gate === undefined) throw new Fault('gate_closed', `gate ${event.gate_id} is not open`);
  if (state.now >= gate.expiresAt) throw new Fault('gate_closed', `gate ${event.gate_id} has expired`);
  assertDecider(state, 'gate_decided', event.approver);
  if (event.packet_hash !== gate.packetHash) {
    throw new Fault('grant_stale', `the decision is about another packet than the one gate ${event.gate_id} shows`);
  }
  if (event.decision === 'approve') return approved(env, state, gate, event);
  if (event.decision === 'reject') return rejected(state, gate, event);
  return unsettled(env, state, gate);
};

function approved(env: KernelEnv, state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const grant = {
    grantId: gate.gateId,
    gate: gate.name,
    kind: gate.kind,
    stepId: gate.stepId,
    argsHash: state.current?.argsHash ?? '',
    planHash: state.planning.active?.hash ?? '',
    approver: event.approver,
  };
  const gates = state.people.gates.filter((open) => open !== gate);
  const recorded = withApproval(state, gate, event);
  const granted: RunState = {
    ...recorded,
    planning: gate.kind === 'plan' ? { ...state.planning, approved: true } : state.planning,
    people: {
      ...recorded.people,
      gates,
      decision: 'continue',
      undecided: state.people.undecided - 1,
      grants: [...state.people.grants, grant],
    },
  };
  return granted.people.undecided > 0 ? [granted, NOTHING] : advance(env, unsuspend(granted));
}

/** A no ends the session, and a plan that was turned down is nobody's plan. Nothing relaxes a gate. */
function rejected(state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const detail = { gate: gate.name, step_id: gate.stepId, approver: event.approver, reason: event.reason };
  const recorded = withApproval(state, gate, event);
  const planning = gate.kind === 'plan' ? { ...state.planning, active: null } : state.planning;
  const closed: RunState = { ...recorded, planning, people: { ...recorded.people, gates: [] } };
  return [raise(closed, { code: 'PERMISSION_DENIED', reason: 'approval_rejected', detail }), NOTHING];
}

function unsettled(env: KernelEnv, state: RunState, gate: OpenGate): Reaction {
  // Gates of one name are asked again and again in a run; what one person could not settle says nothing of the next.
  const { answersPerGate: before } = state.people;
  const count = (own(before, gate.gateId) ?? 0) + 1;
  const answersPerGate = { ...before, [gate.gateId]: count };
  const noted: RunState = { ...state, people: { ...state.people, answersPerGate } };
  if (count <= UNSETTLED_MAX) return [noted, NOTHING];
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
  return { ...state, people: { ...state.people, approvals: [...state.people.approvals, entry] } };
}
