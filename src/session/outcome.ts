import { lanesOut } from '../kernel/lanes/open-lane.ts';
import { recordDecision, verdictEnvelope } from '../kernel/record-decision.ts';
import type { OpenLane, RunState } from '../kernel/state.ts';
import { endsUnanswered } from '../kernel/unanswered.ts';
import type { DecisionRecord } from '../model/decision.ts';
import type { Degradation } from '../model/degradation.ts';
import type { LaneWait } from '../model/lane.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { Stop } from '../model/stop.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { VerdictEnvelope } from '../model/verdict.ts';
import { type GivenTo, whyOf } from './why.ts';
import { whyPaused } from './why-paused.ts';

/** A gate that waits for a person. The decision has to name the hash of exactly this packet. */
export interface PendingGate {
  readonly gateId: string;
  readonly name: string;
  readonly stepId: string | null;
  readonly packetHash: string;
  readonly expiresAt: number;
  /** Present where it is a gate of a lane: what it shows is the call that the lane is about to make. */
  readonly lane?: { readonly laneId: string; readonly runId: string };
}

/** A question that waits for its answer before somebody decides a gate. */
export interface OpenInquiry {
  readonly gateId: string;
  readonly packetHash: string;
  readonly askedBy: string;
  readonly askedOf: string;
  readonly question: string;
}

/** A lane that goes on only when people have decided something. */
export interface WaitingLane {
  readonly laneId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly cause: LaneWait['cause'];
}

/** A plan, and how it came into force: as it was planned, or as a person approved it, without being planned again. */
export interface PlanInForce {
  readonly planId: string;
  readonly planHash: string;
  readonly approach: 'planned' | 'approved_from_state';
}

/** How a run stands: what it waits for, or how it ended. */
export interface RunOutcome {
  readonly runId: string;
  readonly status: SessionStatus;
  readonly terminalCode: TerminalCode | null;
  readonly reason: string | null;
  /** The reason in sentences: what a policy forbids, who threw a switch or paused it and why, which tool or scope is missing. */
  readonly why: readonly string[];
  readonly pending: readonly PendingGate[];
  readonly question: {
    readonly questionId: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
    /** Of the question as it was put. */
    readonly packetHash: string | null;
  } | null;
  /** Lanes that wait for people. Each is a run, and is answered by its own id. */
  readonly lanes: readonly WaitingLane[];
  /** What whoever decides a gate wants to know first, and of whom; see `provideInfo`. */
  readonly inquiries: readonly OpenInquiry[];
  /** The plan that the run follows; null where it follows none. */
  readonly plan: PlanInForce | null;
  /** Who has authority over a run that was handed over. */
  readonly authority: string | null;
  /** Of what they were shown. */
  readonly handoverHash: string | null;
  /** Why a run that waits for people does, and the code it ends with if nobody answers. */
  readonly suspended: Stop | null;
  readonly answer: string | null;
  readonly verdict: VerdictEnvelope | null;
  readonly record: DecisionRecord | null;
  /** Steps whose tool was not there, and what stood in for it. A run with none has had all it was planned with. */
  readonly degraded: readonly Degradation[];
}

const NO_LANES: readonly WaitingLane[] = Object.freeze([]);
const NO_INQUIRIES: readonly OpenInquiry[] = Object.freeze([]);

/**
 * Without what the agent was given, an outcome does not name what kept the run from a tool; without the words of whoever
 * paused it, it names only whose they are.
 */
export function outcomeOf(state: RunState, given?: GivenTo, pausedFor: string | null = null): RunOutcome {
  const { terminal, response } = state.ending;
  const { question } = state.people;
  return {
    runId: state.id.runId,
    status: state.session.status,
    terminalCode: terminal?.code ?? null,
    reason: terminal?.reason ?? state.people.escalation?.stop.reason ?? null,
    why: [...whyOf(state, given), ...whyPaused(state, pausedFor)],
    pending: pendingOf(state),
    question:
      question === null
        ? null
        : {
            questionId: question.questionId,
            fields: question.fields,
            readings: question.readings,
            packetHash: question.packetHash,
          },
    lanes: state.lanes === undefined ? NO_LANES : lanesOf(state),
    inquiries: inquiriesOf(state),
    plan: planOf(state),
    authority: state.session.pause?.authority ?? null,
    handoverHash: state.people.escalation?.packetHash ?? null,
    suspended: terminal === null ? endsUnanswered(state) : null,
    answer: terminal === null ? null : (response?.text ?? null),
    verdict: verdictEnvelope(state),
    degraded: state.work.degraded ?? [],
    record: terminal === null ? null : recordDecision(state, { code: terminal.code, reason: terminal.reason }),
  };
}

/** Gates of the run itself, and of the lanes below it that wait. */
function pendingOf(state: RunState): readonly PendingGate[] {
  const own = state.people.gates.map(({ gateId, name, stepId, packetHash, expiresAt }) => ({
    gateId,
    name,
    stepId,
    packetHash,
    expiresAt,
  }));
  return state.lanes === undefined || state.ending.terminal !== null
    ? own
    : [...own, ...lanesOut(state).flatMap(gatesIn)];
}

function gatesIn({ seat, waits }: OpenLane): readonly PendingGate[] {
  return (waits?.gates ?? []).map((gate) => ({
    gateId: gate.gate_id,
    name: gate.name,
    stepId: gate.step_id,
    packetHash: gate.packet_hash,
    expiresAt: gate.expires_at,
    lane: { laneId: seat.lane_id, runId: gate.run_id },
  }));
}

/** Lanes that wait for people, for whoever has to answer something else than a gate. */
function lanesOf(state: RunState): readonly WaitingLane[] {
  return lanesOut(state).flatMap(({ seat, step, waits }) =>
    waits === null ? [] : [{ laneId: seat.lane_id, runId: seat.run_id, stepId: step.stepId, cause: waits.cause }],
  );
}

function inquiriesOf({ people: { gates, inquiries } }: RunState): readonly OpenInquiry[] {
  if (inquiries.length === 0) return NO_INQUIRIES;
  return inquiries.flatMap(({ gateId, asked, answer }) => {
    const gate = gates.find((open) => open.gateId === gateId);
    if (gate === undefined || answer !== null) return [];
    const { packetHash } = gate;
    return [{ gateId, packetHash, askedBy: asked.asked_by, askedOf: asked.asked_of, question: asked.question }];
  });
}

function planOf({ planning: { active, approved } }: RunState): PlanInForce | null {
  if (active === null) return null;
  const approach = approved ? 'approved_from_state' : 'planned';
  return { planId: active.plan.plan_id, planHash: active.hash, approach };
}
