import {
  findOpenLanes,
  gateProgress,
  type OpenLane,
  type RunState,
  recordDecision,
  runCost,
  stopIfUnanswered,
  verdictEnvelope,
} from '../kernel/index.ts';
import type { RunCost } from '../model/budget/run-cost.ts';
import type { DecisionRecord } from '../model/critic/decision-record.ts';
import type { VerdictEnvelope } from '../model/critic/verdict.ts';
import { type ReleasedBy, type ReleasedSentence, shownSentences } from '../model/evidence/answer.ts';
import type { OutputField } from '../model/evidence/output.ts';
import type { Stop, TerminalCode } from '../model/fault/terminal-code.ts';
import type { GateProgress } from '../model/gate/gate-terms.ts';
import { leavesIn } from '../model/json/leaves.ts';
import type { LaneWait } from '../model/run/lane.ts';
import type { SessionStatus } from '../model/run/session-status.ts';
import type { Degradation } from '../model/tool/degradation.ts';
import {
  type AgentCapabilities,
  endingText,
  standingEffects,
  whyOf,
  whyPaused,
  whyWaiting,
} from './explain-outcome.ts';
import { type TextLabel, type TrustLabel, type TrustLabels, trustLabels } from './threads/trust-labels.ts';
import { type RunUsage, usageOf } from './usage.ts';

/** A call, or another request, that waits for people. The decision must name the hash of exactly this packet. */
export interface PendingGate {
  readonly gateId: string;
  /** The name of the first gate. */
  readonly name: string;
  /** Every gate of the call, with the person who decided it. The call is sent once all of them are decided. */
  readonly gates: readonly GateProgress[];
  readonly stepId: string | null;
  readonly packetHash: string;
  readonly expiresAt: number;
  /** Set for a gate of a lane; its packet shows the call that the lane is about to make. */
  readonly lane?: { readonly laneId: string; readonly runId: string };
}

/** A decider's question that must be answered before the gate is decided. */
export interface OpenInquiry {
  readonly gateId: string;
  readonly packetHash: string;
  readonly askedBy: string;
  readonly askedOf: string;
  readonly question: string;
}

/** A lane that waits for a decision by people. */
export interface WaitingLane {
  readonly laneId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly cause: LaneWait['cause'];
}

/** A call that may have had its effect: it was sent, and its result is unknown. */
export interface UncertainCall {
  readonly tool: string;
  /** Null for a call of another run of the same family. */
  readonly stepId: string | null;
  readonly callId: string | null;
  /** When the call was sent. */
  readonly since: number;
}

/** A plan, and how it came into force: made by the planner, or approved by a person without a new plan. */
export interface PlanInForce {
  readonly planId: string;
  readonly planHash: string;
  readonly approach: 'planned' | 'approved_from_state';
}

/** A sentence of the answer: its form, the fields that it rests on, what released it, and whether it is trusted. */
export interface OutcomeSentence extends Omit<ReleasedSentence, 'released_by'>, TrustLabel {
  readonly released_by: ReleasedBy;
}

/** The state of a run: what it waits for, or how it ended. */
export interface RunOutcome<Output = unknown> {
  readonly runId: string;
  readonly status: SessionStatus;
  readonly terminalCode: TerminalCode | null;
  readonly reason: string | null;
  /**
   * The reason in sentences: the policy, the pause or the kill switch that stopped it, or the missing tool or scope.
   */
  readonly why: readonly string[];
  readonly pending: readonly PendingGate[];
  readonly question: {
    readonly questionId: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
    /** The hash of the question as it was shown. */
    readonly packetHash: string | null;
  } | null;
  /** The lanes that wait for people. Each is a run and is answered under its own id. */
  readonly lanes: readonly WaitingLane[];
  /** The open questions of deciders, and who should answer them; see `provideInfo`. */
  readonly inquiries: readonly OpenInquiry[];
  /** The plan in force; null if there is none. */
  readonly plan: PlanInForce | null;
  /** The authority over a run that was handed over. */
  readonly authority: string | null;
  /** The hash of the packet shown to that authority. */
  readonly handoverHash: string | null;
  /** Why a run waits for people, and the code it ends with if they do not answer. */
  readonly suspended: Stop | null;
  /** The answer to the user, or how the run ended in words; null until then. */
  readonly text: string | null;
  /**
   * Whether `text` rests on trusted sources alone, and the tools behind it; null as long as `text` is. `draft` marks the
   * own words of a model, which no fact supports.
   */
  readonly trust: TextLabel | null;
  /** The sentences of a composed answer; empty without a composer. */
  readonly sentences: readonly OutcomeSentence[];
  /** The declared output; null until the answer is released, and if the agent declares none. */
  readonly output: Output | null;
  /** The evidence of each leaf of the output, by JSON Pointer. */
  readonly outputEvidence: OutputEvidence;
  /** The amounts used so far. */
  readonly usage: RunUsage;
  /** The cost so far in dollars, by unit, at the prices of `world.policy.prices`. */
  readonly cost: RunCost;
  /** The calls that may have had their effect and about which no person has decided. */
  readonly doubts: readonly UncertainCall[];
  readonly verdict: VerdictEnvelope | null;
  readonly record: DecisionRecord | null;
  /** Steps whose tool was unavailable, and the substitute used. Empty if every planned tool was available. */
  readonly degraded: readonly Degradation[];
}

const NO_LANES: readonly WaitingLane[] = Object.freeze([]);
const NO_INQUIRIES: readonly OpenInquiry[] = Object.freeze([]);

/** Facts for an outcome that the state of a run does not contain. */
export interface JournalFindings {
  /** The reason that an operator gave for a pause. */
  readonly pausedFor: string | null;
  readonly doubts: readonly UncertainCall[];
}

const NOTHING_FOUND: JournalFindings = Object.freeze({ pausedFor: null, doubts: Object.freeze([]) });

/**
 * Builds the outcome of a run. Without the agent's tools it cannot explain a missing capability; without the findings
 * it lists no calls in doubt, and names who paused the run but not the reason.
 */
export function runOutcome(
  state: RunState,
  known?: AgentCapabilities,
  found: JournalFindings = NOTHING_FOUND,
): RunOutcome {
  const { terminal } = state.ending;
  const { question } = state.people;
  const labels = trustLabels(state);
  const text = endingText(state, known?.agent);
  const record = terminal === null ? null : recordDecision(state, { code: terminal.code, reason: terminal.reason });
  return {
    runId: state.id.runId,
    status: state.session.status,
    terminalCode: terminal?.code ?? null,
    reason: terminal?.reason ?? state.people.escalation?.stop.reason ?? null,
    why: [
      ...whyOf(state, known),
      ...standingEffects(state, record),
      ...whyPaused(state, found.pausedFor),
      ...whyWaiting(state),
    ],
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
    suspended: terminal === null ? stopIfUnanswered(state) : null,
    text,
    trust: text === null ? null : labels.outcome(),
    sentences: shownSentences(state.ending.answer?.released ?? []).map((sentence) => ({
      released_by: 'check',
      ...sentence,
      ...labels.sentence(sentence),
    })),
    ...outputOf(state, labels),
    usage: usageOf(state),
    cost: runCost(state),
    doubts: found.doubts,
    verdict: verdictEnvelope(state),
    degraded: state.work.degraded ?? [],
    record,
  };
}

/** The committed field behind each leaf of an output, and its source: a tool, `request` or `schema`. */
export type OutputEvidence = Readonly<Record<string, Omit<OutputField, 'at'> & { readonly source: string }>>;

const NO_OUTPUT: Pick<RunOutcome, 'output' | 'outputEvidence'> = Object.freeze({
  output: null,
  outputEvidence: Object.freeze({}),
});

/** The output of a run whose answer is released, with the evidence of each of its leaves. */
function outputOf({ ending }: RunState, { sourceOf }: TrustLabels): Pick<RunOutcome, 'output' | 'outputEvidence'> {
  const bound = ending.output?.bound ?? null;
  if (bound === null || ending.terminal === null || ending.response === null) return NO_OUTPUT;
  const { value, fields } = bound;
  const evidence = leavesIn(value).flatMap(({ at }) => {
    const field = fields.find((each) => at === each.at || at.startsWith(`${each.at}/`));
    if (field === undefined) return [];
    const { ref, pointer, trusted } = field;
    return [[at, { ref, pointer: pointer + at.slice(field.at.length), trusted, source: sourceOf(ref) }] as const];
  });
  return { output: value, outputEvidence: Object.fromEntries(evidence) };
}

/** The open gates of the run and of its waiting lanes. */
function pendingOf(state: RunState): readonly PendingGate[] {
  const own = state.people.gates.map((gate) => {
    const { gateId, name, stepId, packetHash, expiresAt } = gate;
    return { gateId, name, gates: gateProgress(gate), stepId, packetHash, expiresAt };
  });
  return state.lanes === undefined || state.ending.terminal !== null
    ? own
    : [...own, ...findOpenLanes(state).flatMap(gatesIn)];
}

function gatesIn({ laneContext, waits }: OpenLane): readonly PendingGate[] {
  return (waits?.gates ?? []).map((gate) => ({
    gateId: gate.gate_id,
    name: gate.name,
    gates: gate.gates ?? [{ name: gate.name, decided_by: null }],
    stepId: gate.step_id,
    packetHash: gate.packet_hash,
    expiresAt: gate.expires_at,
    lane: { laneId: laneContext.lane_id, runId: gate.run_id },
  }));
}

/** The lanes that wait for people, including those that wait for something other than a gate. */
function lanesOf(state: RunState): readonly WaitingLane[] {
  return findOpenLanes(state).flatMap(({ laneContext, step, waits }) =>
    waits === null
      ? []
      : [{ laneId: laneContext.lane_id, runId: laneContext.run_id, stepId: step.stepId, cause: waits.cause }],
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
