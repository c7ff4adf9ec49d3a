import type { Budget } from '../../model/budget/budget.ts';
import type { BudgetDimension } from '../../model/budget/dimensions.ts';
import type { Meters } from '../../model/budget/run-cost.ts';
import type { PlanVerdict, Scores, StepScore, StepVerdict } from '../../model/critic/verdict.ts';
import type { Flight, PlanReason } from '../../model/events/effect.ts';
import type { HistoryRef } from '../../model/events/history.ts';
import type { PlanAuthor } from '../../model/events/plan-events.ts';
import type { KeptNomination, MemoryEntry } from '../../model/evidence/memory.ts';
import type { CallOrigin, FilledSlots } from '../../model/evidence/origin.ts';
import type { ReplyReason, Stop, TerminalCode } from '../../model/fault/terminal-code.ts';
import type { ApprovalMode } from '../../model/gate/approval-mode.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { Plan, PlanStep } from '../../model/plan/plan.ts';
import type { PolicyDecision } from '../../model/policy/policy-decision.ts';
import type { RiskClass } from '../../model/policy/risk.ts';
import type { Identity, SecurityToken } from '../../model/run/identity.ts';
import type { LaneContext, LaneNote, LaneWait } from '../../model/run/lane.ts';
import type { RunManifest } from '../../model/run/manifest.ts';
import type { PauseCause, SessionStatus } from '../../model/run/session-status.ts';
import type { RunHistory } from '../../model/run/thread.ts';
import type { Degradation } from '../../model/tool/degradation.ts';
import type { StepInput } from '../../model/tool/step-input.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { ToolChange } from '../../model/tool/tool-change.ts';
import type { Need } from '../budget/budget.ts';
import type { Estimate } from '../budget/estimate.ts';
import type { AnswerState, OutputState } from './answer-state.ts';
import type { Assoc } from './assoc.ts';
import type {
  CallState,
  Doubt,
  MadeEffect,
  Moves,
  ObservedState,
  PlanDrafts,
  Revocation,
  Rollback,
  TrippedTools,
} from './call-state.ts';
import type { ConditionAnswer } from './condition-answer.ts';
import type { Panel } from './judge-panel.ts';
import type { LoopGuard } from './loop-guard.ts';
import type { People } from './people-state.ts';
import type { PlanIndex } from './plan-index.ts';
import type { ReactState } from './react-state.ts';
import type { OpenConflict, StatedFacts } from './stated-facts.ts';
import type { Vec } from './vec.ts';

/**
 * The state of a run between two events: immutable data that shares unchanged parts with earlier states. It grows at
 * most linearly with the run; a checkpoint seals the lists it names with a running root hash.
 */
export interface RunState {
  readonly id: RunIds;
  readonly now: number;
  /** Number of events folded so far. */
  readonly seq: number;
  readonly position: Position;
  readonly session: SessionState;
  readonly intake: IntakeState;
  readonly manifest: RunManifest | null;
  /** The tools that an operator accepted in a newer version, as packets show them. Absent if there are none. */
  readonly changedTools?: readonly ToolChange[];
  readonly budget: Budget | null;
  readonly planning: Planning;
  readonly work: Work;
  readonly current: CurrentStep | null;
  /** Steps that run in lanes, in plan order. Absent if there are none. */
  readonly lanes?: readonly OpenLane[];
  /** This run's position below its parent run. Present only in a lane. */
  readonly laneContext?: LaneContext;
  /** Present in a forked run: its parent, and whether it only simulates calls. */
  readonly fork?: ForkOf;
  /** The model judges of the current case; null if only the Critic's own rules apply. */
  readonly panel: Panel | null;
  readonly people: People;
  readonly guard: LoopGuard;
  readonly counters: Counters;
  /** Used by reactive runs only. */
  readonly react: ReactState;
  readonly ending: Ending;
}

export interface ForkOf {
  readonly parent: string;
  readonly simulate: boolean;
  /** The past was imported: the fork makes no calls, not even reads. */
  readonly imported?: true;
  readonly answers: Readonly<Record<string, Json>>;
}

export interface RunIds {
  readonly runId: string;
  readonly traceId: string;
  readonly tenantId: string;
}

/** The current node of the graph, and the moves of the current event. */
export interface Position {
  readonly node: string;
  readonly moves: Moves;
  readonly transitions: number;
  /** Visits of each node with a retry limit since the last commit. */
  readonly visits: Readonly<Record<string, number>>;
}

export interface SessionState {
  readonly status: SessionStatus;
  readonly pause: Pause | null;
  readonly startedAt: number;
  /** Deadline of the wall-clock budget, extended by the time spent waiting for people. */
  readonly deadlineAt: number | null;
  readonly suspendedAt: number | null;
  /** Hard end of the session, in every status. */
  readonly expiresAt: number;
  readonly heartbeatMs: number | null;
  /** Interval of progress reports; absent if the session makes none. */
  readonly progressMs?: number;
  readonly lastSeen: number;
}

export interface Pause {
  readonly cause: PauseCause;
  readonly by: string;
  /** The person or role that decides next. */
  readonly authority: string;
  /** The person who paused the session has already decided that it continues from this time on. */
  readonly resumesAt?: number;
}

export interface IntakeState {
  readonly goal: Goal | null;
  /** The conversation that the run is a message of. A fork is none. */
  readonly thread?: string;
  /** The requester's words in earlier runs of the thread. */
  readonly history?: RunHistory;
  readonly identity: Identity | null;
  readonly intent: string | null;
  readonly risk: RiskClass;
  /** A reviewer must release the answer. */
  readonly regulated?: true;
  /** The task class of the intent; absent until the intent is classified. */
  readonly taskClass?: string;
  readonly confidence: number;
  readonly readings: readonly string[];
  /** Cost of the model that classified the request; absent if none did. */
  readonly readingCost?: ToolCost;
  readonly token: SecurityToken | null;
  readonly cleared: boolean;
  readonly answers: JsonObject;
  /** Names of the answers that another person than the requester gave. */
  readonly answeredByOthers: readonly string[];
  /** Names of the answers that the requester gave to a question, and of a chosen reading. */
  readonly answeredByRequester?: readonly string[];
  /** The last answer changes identity, scope or intent. */
  readonly rescope: boolean;
  /** Scopes that wait for a person's approval; `opened` lists the approved ones. */
  readonly confirming?: readonly string[];
  readonly opened?: readonly string[];
  /** Address of the compiled context of the run. */
  readonly context?: Address;
  /** Evidence from the compiled context, as type to item; `freshUntil` says until when each item may be used. */
  readonly contextEvidence?: Readonly<Record<string, string>>;
  readonly freshUntil?: Readonly<Record<string, number>>;
}

export interface Planning {
  readonly proposal: Json | null;
  readonly author: PlanAuthor | null;
  /** Places where the host filled inputs into the proposal; null if it did not report them or a model proposed. */
  readonly filled: FilledSlots | null;
  /** Untrusted text has entered this run. Plans that a model proposes from now on are tainted. */
  readonly exposed: boolean;
  /** The proposal comes from a model that had read untrusted text. */
  readonly tainted: boolean;
  readonly verdict: PlanVerdict | null;
  readonly active: ActivePlan | null;
  /** The tools of the run have changed: the active plan is verified again before its next step. */
  readonly unverified?: true;
  /** Policy decisions about the steps of the active plan, from its verification. */
  readonly decisions: ReadonlyMap<string, PolicyDecision>;
  readonly approved: boolean;
  /** Tools whose answers no longer match the registered schema. Later plans of this run may not use them. */
  readonly setAside?: readonly string[];
  readonly plansCreated: number;
  /** Distances of the last plans from the goal, newest last. Absent until the second plan. */
  readonly distances?: readonly number[];
  readonly replans: number;
  /** Drafted arguments. Absent until the first draft. */
  readonly drafts?: PlanDrafts;
  /** The items that are no longer shown, and their digest. Absent until the first compression. */
  readonly compressed?: Compressed;
  /** Use of the specialist planner; while it is `planning`, the next plan comes from it. */
  readonly specialist: 'unused' | 'planning' | 'used';
  /** The last problem, for the planner's next attempt. A new plan clears it. */
  readonly reason: PlanReason | null;
}

export interface Compressed {
  /** Trace pointers of the items that are no longer shown. */
  readonly demoted: readonly string[];
  readonly digest: string;
  /** The digest was written from material that includes untrusted text. */
  readonly untrusted?: true;
  /** The digest quotes the beginnings of dropped messages. No model has written it. */
  readonly excerpts?: true;
}

/** A verified plan with its lookup tables. */
export interface ActivePlan {
  readonly plan: Plan;
  readonly hash: string;
  readonly index: PlanIndex;
  readonly author: PlanAuthor;
  readonly filled: FilledSlots | null;
  readonly tainted: boolean;
}

/** The work of the run so far. */
export interface Work {
  readonly progress: Vec<StepProgress>;
  /** Position in the plan's order; every earlier step is settled. */
  readonly cursor: number;
  readonly version: number;
  /** Commits of superseded plans. */
  readonly carried: Carried;
  /** Newest evidence id of each type. */
  readonly evidenceByType: Readonly<Record<string, string>>;
  readonly evidence: Vec<string>;
  readonly transcripts: Vec<string>;
  readonly scores: Vec<StepScore>;
  /** Number of scores from superseded plans. */
  readonly scoresCarried: number;
  /** The last checkpoint's reference to the three lists above. */
  readonly sealed: HistoryRef;
  readonly unresolved: readonly string[];
  /** Calls with another result than planned. Absent if there are none. */
  readonly failed?: readonly string[];
  /** Memory entries that models nominated. Absent if there are none. */
  readonly nominated?: readonly KeptNomination[];
  /** Facts that other sources may contradict. */
  readonly stated: StatedFacts;
  /** Answers to the conditions of the boundary, newest first. Absent if there are none. */
  readonly answers?: readonly ConditionAnswer[];
  /** Evidence about which sources contradict each other. */
  readonly disputed: readonly string[];
  readonly conflict?: OpenConflict;
  /** Failed calls that may have had their effect, keyed by tool and arguments. */
  readonly doubts: Readonly<Record<string, Doubt>>;
  /** Calls that a person approved to be repeated, by tool and arguments, with the earliest time to send them. */
  readonly approvedRepeats: Readonly<Record<string, number>>;
  /** Every call that changed something, for rollback. */
  readonly effects: Vec<MadeEffect>;
  /** Ids of decisions whose checkpoint was passed. */
  readonly decided: readonly string[];
  /** Minimum and maximum need of the rest of the plan. */
  readonly estimate: Estimate;
  /** Steps whose tool was unavailable, and their replacements. */
  readonly degraded?: readonly Degradation[];
  /** Evidence from lanes that the Critic did not accept. Absent if there is none. */
  readonly dropped?: readonly string[];
  /** Outcome of each lane. Absent if there were none. */
  readonly lanes?: readonly LaneNote[];
  /** Tools with an open circuit breaker. */
  readonly tripped?: TrippedTools;
  /** The dimension of the last foreseen shortage. */
  readonly foreseen: BudgetDimension | null;
}

export type StepStatus = 'pending' | 'committed' | 'failed' | 'skipped';

export interface StepProgress {
  readonly status: StepStatus;
  readonly attempts: number;
  readonly fact: Fact | null;
}

/** The committed result of a step: the confirmed part of its tool's answer, with its evidence id. */
export interface Fact {
  readonly value: Json;
  readonly evidenceId: string;
  /** The tool that returned the value. */
  readonly source: string;
  /** The tool is trusted and so were all its arguments: taint passes through tools. */
  readonly trusted: boolean;
}

export interface Carried {
  readonly steps: Assoc<CarriedStep>;
  /** The step that last filled each context key. */
  readonly fillers: Assoc<string>;
  /** The step behind each piece of evidence. */
  readonly origins: Assoc<string>;
}

export interface CarriedStep {
  readonly step: PlanStep;
  readonly fact: Fact;
  readonly score: StepScore | null;
}

/** The step in execution; `rung` is its position on the grounding ladder. */
export interface CurrentStep {
  readonly index: number;
  readonly stepId: string;
  readonly tool: string;
  readonly rung: 'intended' | 'cleared' | 'attempted' | 'observed' | 'verified' | 'failed' | 'committed';
  readonly args: JsonObject;
  readonly argsHash: string;
  /** The results of earlier steps that the tool receives; absent if the step names none. */
  readonly inputs?: readonly StepInput[];
  readonly origin: CallOrigin;
  readonly mode: ApprovalMode;
  readonly attempt: number;
  readonly call: CallState | null;
  readonly observed: ObservedState | null;
  readonly reserved: Need | null;
  /** Earliest time of a repeated call. */
  readonly notBefore: number;
  /** Id of the standing grant that replaces a person's approval of this call. */
  readonly standing?: string;
  /** The tool is unavailable and its last good answer is used instead. */
  readonly cached?: true;
  /** The lane that runs the step; absent if the run calls the tool itself. */
  readonly laneContext?: LaneContext;
  /** The work before the lane's results were merged, restored if the Critic does not accept them. */
  readonly before?: Work;
  /** The call needed no approval, so other steps may run in parallel with it. */
  readonly parallelizable?: true;
  /** Policy decision about the cleared call; absent without policies. */
  readonly policy?: PolicyDecision;
  /** Preview of the call by the tool's category, as the gateway recorded it. */
  readonly preview?: JsonObject;
}

/** A step of the plan that runs in a lane, with its outcome so far. */
export interface OpenLane {
  readonly step: CurrentStep;
  readonly laneContext: LaneContext;
  /** Null until the lane ends. */
  readonly observed: ObservedState | null;
  /** The person's input that the lane waits for; null while it works. */
  readonly waits: LaneWait | null;
}

export interface Counters extends Meters {
  readonly calls: number;
  /** Consecutive repairs after tool failures. */
  readonly repairsInARow: number;
  /** Checkpoints of the verdicts that denied something. */
  readonly denials: readonly string[];
  readonly violations: number;
  readonly claimRepairs: number;
  readonly checkpoints: number;
  readonly compressions: number;
  readonly reflections: Readonly<Record<string, number>>;
  /** The last reflection: a mark of the state at that time, and its tokens. */
  readonly reflected?: { readonly mark: string; readonly tokens: number };
}

export interface Ending {
  readonly inFlight: Flight | null;
  /** The process that waited for this effect died during a pause; it is sent again when the session continues. */
  readonly resendOnResume?: true;
  readonly stops: readonly Stop[];
  readonly verdict: StepVerdict | null;
  readonly runScores: Scores | null;
  readonly criteriaMet: boolean;
  /** The parts of the question for which a proposed end was refused. Absent if none was. */
  readonly pointedOut?: readonly string[];
  /** The composed answer. Absent until a composer was asked. */
  readonly answer?: AnswerState;
  /** The declared output. Absent until it is asked for, refused or bound. */
  readonly output?: OutputState;
  readonly response: { readonly text: string; readonly claims: number; readonly reply?: ReplyReason } | null;
  /** An answer that waits for a reviewer's release. */
  readonly withheld?: { readonly text: string; readonly claims: number; readonly reply?: ReplyReason };
  readonly memoryProposals: number;
  /** Present while memory entries are being decided; `entries` is null until the gate has ruled. */
  readonly memory?: { readonly entries: readonly MemoryEntry[] | null };
  /** The time when an ending run stops waiting for calls that it aborted. */
  readonly closeBy: number | null;
  /** Present once an abandoned run has begun its rollback. */
  readonly rollback?: Rollback;
  /** Present once an ending run has requested the revocation of its credentials. */
  readonly revocation?: Revocation;
  readonly closing: boolean;
  readonly terminal: TerminalState | null;
}

export interface TerminalState {
  readonly code: TerminalCode;
  readonly reason: string;
  readonly detail: JsonObject;
  readonly suppressed: readonly TerminalCode[];
  readonly record: string;
}
