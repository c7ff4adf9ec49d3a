import { elapsedMs, gateProgress, type KernelEnv, type RunState, toWire, vecGet, vecToArray } from '../kernel/index.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import { walkRun } from './walk-run.ts';

/** The state of a run after one event, as plain JSON. */
export interface StateView {
  readonly run_id: string;
  /** Number of the event, from 1, and the frame that contains it. */
  readonly event: number;
  readonly frame: number;
  readonly happened: string;
  readonly at: number;
  readonly node: string;
  readonly session: JsonObject;
  readonly intake: JsonObject;
  readonly plan: JsonObject | null;
  readonly step: JsonObject | null;
  readonly state: JsonObject;
  readonly budget: JsonObject | null;
  readonly people: JsonObject;
  readonly ending: JsonObject;
}

/** The state after the event with this number. */
export function stateAt(env: KernelEnv, frames: readonly Frame[], event: number): StateView {
  for (const { frame, event: happened, state } of walkRun(env, frames)) {
    if (state.seq === event) return viewOf(state, frame.seq, happened.type);
  }
  const last = frames.flatMap(frameEvents).length;
  throw new Fault('input_invalid', `there is no event ${event}: the run has the events 1 to ${last}`);
}

function viewOf(state: RunState, frame: number, happened: string): StateView {
  const { id, seq, now, position, session, budget } = state;
  return {
    run_id: id.runId,
    event: seq,
    frame,
    happened,
    at: now,
    node: position.node,
    session: plain({ status: session.status, pause: session.pause, expires_at: session.expiresAt }),
    intake: intakeOf(state),
    plan: planOf(state),
    step: stepOf(state),
    state: workOf(state),
    budget: budget === null ? null : plain(toWire(budget, elapsedMs(state))),
    people: peopleOf(state),
    ending: plain({ in_flight: state.ending.inFlight, verdict: state.ending.verdict, terminal: state.ending.terminal }),
  };
}

function intakeOf({ intake }: RunState): JsonObject {
  const { goal, intent, risk, confidence, token, answers, cleared } = intake;
  return plain({ goal, intent, risk, confidence, token, answers, cleared });
}

function planOf({ planning, work }: RunState): JsonObject | null {
  const { active, verdict, plansCreated, replans } = planning;
  if (active === null) return null;
  const steps = active.plan.steps.map(({ id, tool }, place) => {
    const { status = 'pending', attempts = 0, fact = null } = vecGet(work.progress, place) ?? {};
    return { id, tool, status, attempts, evidence: fact?.evidenceId ?? null };
  });
  const { plan_id } = active.plan;
  return plain({ plan_id, plan_hash: active.hash, verdict, steps, plans_created: plansCreated, replans });
}

function stepOf({ current }: RunState): JsonObject | null {
  if (current === null) return null;
  const { stepId, tool, rung, args, argsHash, mode, attempt, call } = current;
  return plain({
    step_id: stepId,
    tool,
    rung,
    args,
    args_hash: argsHash,
    mode,
    attempt,
    call_id: call?.callId ?? null,
  });
}

function workOf({ work }: RunState): JsonObject {
  const { version, evidenceByType, decided, unresolved, disputed, doubts } = work;
  return plain({
    version,
    evidence: evidenceByType,
    transcripts: vecToArray(work.transcripts),
    scores: vecToArray(work.scores),
    effects: vecToArray(work.effects),
    decided,
    unresolved,
    disputed,
    in_doubt: Object.keys(doubts),
    degraded: work.degraded ?? [],
  });
}

function peopleOf({ people }: RunState): JsonObject {
  const { gates, question, escalation, approvals } = people;
  return plain({
    gates: gates.map((open) => ({
      gate_id: open.gateId,
      name: open.name,
      gates: gateProgress(open),
      kind: open.kind,
      step_id: open.stepId,
      packet_hash: open.packetHash,
      expires_at: open.expiresAt,
    })),
    question,
    escalation,
    approvals,
  });
}

/** A deep copy, so that changing it does not affect the state. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as Json as JsonObject;
