import type { ApprovalMode } from '../model/approval-mode.ts';
import type { Budget, BudgetDimension } from '../model/budget.ts';
import type { Degradation } from '../model/degradation.ts';
import type { Flight, PlanReason } from '../model/effect.ts';
import type { PlanAuthor } from '../model/events/plan-events.ts';
import type { Goal } from '../model/goal.ts';
import type { Address } from '../model/hash.ts';
import type { HistoryRef } from '../model/history-ref.ts';
import type { Identity, SecurityToken } from '../model/identity.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { LaneNote, LaneSeat, LaneWait } from '../model/lane.ts';
import type { RunManifest } from '../model/manifest.ts';
import type { MemoryEntry, MemoryNomination } from '../model/memory.ts';
import type { CallOrigin, FilledSlots } from '../model/origin.ts';
import type { Plan, PlanStep } from '../model/plan.ts';
import type { PolicyDecision } from '../model/policy-decision.ts';
import type { RiskClass } from '../model/risk.ts';
import type { PauseCause, SessionStatus } from '../model/session-status.ts';
import type { Stop } from '../model/stop.ts';
import type { StoredAnswer } from '../model/stored-answer.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { ToolCost, ToolOutcome } from '../model/tool.ts';
import type { PlanVerdict, Scores, StepScore, StepVerdict } from '../model/verdict.ts';
import type { Assoc } from './assoc.ts';
import type { Need } from './budget.ts';
import type { Doubt } from './doubt-state.ts';
import type { PlanDrafts } from './draft/plan-drafts.ts';
import type { Estimate } from './estimate.ts';
import type { Panel } from './judges/panel.ts';
import type { LoopGuard } from './loop-guard.ts';
import type { Moves } from './moves.ts';
import type { People } from './people-state.ts';
import type { PlanIndex } from './plan-index.ts';
import type { ReactState } from './reactive/react-state.ts';
import type { Revocation } from './revocation/revocation.ts';
import type { MadeEffect, Rollback } from './rollback/rollback.ts';
import type { Stated } from './stated-facts.ts';
import type { TrippedTools } from './tripped-tools.ts';
import type { Vec } from './vec.ts';

/**
 * All that a run is between two events. Plain immutable data: every step shares what it did not change.
 * Nothing here grows faster than the run itself; lists that a checkpoint names are sealed by it with a running root.
 */
export interface RunState {
  readonly id: RunIds;
  readonly now: number;
  /** Events folded so far. */
  readonly seq: number;
  readonly position: Position;
  readonly session: SessionState;
  readonly intake: IntakeState;
  readonly manifest: RunManifest | null;
  readonly budget: Budget | null;
  readonly planning: Planning;
  readonly work: Work;
  readonly current: CurrentStep | null;
  /** Steps that are worked on in lanes, in the order of the plan. Present only while there are some. */
  readonly lanes?: readonly OpenLane[];
  /** The place below another run. Present only in a lane. */
  readonly seat?: LaneSeat;
  /** Present in a run that began as another: whose beginning it has, and whether it changes anything outside. */
  readonly fork?: ForkOf;
  /** Who judges the case at hand besides the Critic's own rules; null where nobody does. */
  readonly panel: Panel | null;
  readonly people: People;
  readonly guard: LoopGuard;
  readonly counters: Counters;
  /** Used by runs that decide one step at a time, and by no others. */
  readonly react: ReactState;
  readonly ending: Ending;
}

export interface ForkOf {
  readonly parent: string;
  readonly simulate: boolean;
  readonly answers: Readonly<Record<string, Json>>;
}

export interface RunIds {
  readonly runId: string;
  readonly traceId: string;
  readonly tenantId: string;
}

/** Where the run stands on its graph, and how it came there in the event just handled. */
export interface Position {
  readonly node: string;
  readonly moves: Moves;
  readonly transitions: number;
  /** How often each node with a retry limit was come to since something was last committed. */
  readonly visits: Readonly<Record<string, number>>;
}

export interface SessionState {
  readonly status: SessionStatus;
  readonly pause: Pause | null;
  readonly startedAt: number;
  /** The wall clock as a deadline; moved on by however long people were waited for. */
  readonly deadlineAt: number | null;
  readonly suspendedAt: number | null;
  /** The hard end of the session, whatever it is doing. */
  readonly expiresAt: number;
  readonly heartbeatMs: number | null;
  /** How often the session says how far it has come; absent where it is none. */
  readonly progressMs?: number;
  readonly lastSeen: number;
}

export interface Pause {
  readonly cause: PauseCause;
  readonly by: string;
  /** Who decides next. */
  readonly authority: string;
  /** Whoever interrupted the session has decided already that it goes on, from this instant on. */
  readonly resumesAt?: number;
}

export interface IntakeState {
  readonly goal: Goal | null;
  readonly identity: Identity | null;
  readonly intent: string | null;
  readonly risk: RiskClass;
  /** The answer is released by a reviewer. */
  readonly regulated?: true;
  /** The kind of task, as the intent declares it; absent before it is classified. */
  readonly taskClass?: string;
  readonly confidence: number;
  readonly readings: readonly string[];
  /** What a model took that read the request; absent where none did. */
  readonly readingCost?: ToolCost;
  readonly token: SecurityToken | null;
  readonly cleared: boolean;
  readonly answers: JsonObject;
  /** Those of them that somebody else gave than whoever made the request. */
  readonly answeredByOthers: readonly string[];
  /** The last answer touches identity, scope or intent. */
  readonly rescope: boolean;
  /** Scopes that wait for a person, and those that one has opened. */
  readonly confirming?: readonly string[];
  readonly opened?: readonly string[];
  /** Address of the compiled context that the run reads. */
  readonly context?: Address;
  /** What the compiled context brought along as evidence, type to item, and until when each may be rested on. */
  readonly contextEvidence?: Readonly<Record<string, string>>;
  readonly freshUntil?: Readonly<Record<string, number>>;
}

export interface Planning {
  readonly proposal: Json | null;
  readonly author: PlanAuthor | null;
  /** Where the host put inputs into the proposal; null where it did not say, and for a model. */
  readonly filled: FilledSlots | null;
  /** Untrusted text has come into this run: whatever a model proposes from here on may be its doing. */
  readonly exposed: boolean;
  /** The proposal comes from a model that had untrusted text before it. */
  readonly tainted: boolean;
  readonly verdict: PlanVerdict | null;
  readonly active: ActivePlan | null;
  /** What the policies said of each step of it when it was verified. */
  readonly decisions: ReadonlyMap<string, PolicyDecision>;
  readonly approved: boolean;
  /** Tools whose answers no longer have the shape they were registered with. No plan of this run may name them again. */
  readonly setAside?: readonly string[];
  readonly plansCreated: number;
  /** How far the last plans were from the goal, the newest last. Present once there was a second one. */
  readonly distances?: readonly number[];
  readonly replans: number;
  /** Present once something was written for a step whose plan left it open. */
  readonly drafts?: PlanDrafts;
  /** Present once the context was compressed: what is no longer shown, and what was made of it. */
  readonly compressed?: Compressed;
  /** Whether the stronger planner was called in; while it is `planning`, the next plan is its own. */
  readonly specialist: 'unused' | 'planning' | 'used';
  /** What went wrong, for the planner's next attempt. Cleared by a new plan. */
  readonly reason: PlanReason | null;
}

export interface Compressed {
  /** Trace pointers. */
  readonly demoted: readonly string[];
  readonly digest: string;
}

/** A verified plan and the lookups made from it once. */
export interface ActivePlan {
  readonly plan: Plan;
  readonly hash: string;
  readonly index: PlanIndex;
  readonly author: PlanAuthor;
  readonly filled: FilledSlots | null;
  readonly tainted: boolean;
}

/** What the run has done. */
export interface Work {
  readonly progress: Vec<StepProgress>;
  /** Place in the plan's order before which every step is settled. */
  readonly cursor: number;
  readonly version: number;
  /** What steps of superseded plans committed. */
  readonly carried: Carried;
  /** The newest evidence of each type. */
  readonly evidenceByType: Readonly<Record<string, string>>;
  readonly evidence: Vec<string>;
  readonly transcripts: Vec<string>;
  readonly scores: Vec<StepScore>;
  /** How many of the scores were given under superseded plans. */
  readonly scoresCarried: number;
  /** What the last checkpoint says of the three lists above. */
  readonly sealed: HistoryRef;
  readonly unresolved: readonly string[];
  /** Calls that came back with something else than what was planned. Present only where there are some. */
  readonly failed?: readonly string[];
  /** What models would like to have remembered. Present only where there is something. */
  readonly nominated?: readonly MemoryNomination[];
  /** What sources have said that others may contradict. */
  readonly stated: Stated;
  /** Evidence that sources contradict each other on. */
  readonly disputed: readonly string[];
  /** Calls that may have had their effect although they did not come back well, by tool and arguments. */
  readonly doubts: Readonly<Record<string, Doubt>>;
  /** Calls that somebody wants made once more, by tool and arguments, and from when on. */
  readonly again: Readonly<Record<string, number>>;
  /** Every call that changed something, for whoever has to take it back. */
  readonly effects: Vec<MadeEffect>;
  /** Decisions whose checkpoint has been passed. */
  readonly decided: readonly string[];
  /** What the rest of the plan certainly needs and may at most need. */
  readonly estimate: Estimate;
  /** Steps whose tool was not there, and what stood in for it. */
  readonly degraded?: readonly Degradation[];
  /** Evidence that lanes brought and the Critic did not accept. Present only where there is some. */
  readonly dropped?: readonly string[];
  /** What became of each lane. Present only where there were some. */
  readonly lanes?: readonly LaneNote[];
  /** Tools that this run has given up on. */
  readonly tripped?: TrippedTools;
  /** The dimension in which a shortage was last foreseen. */
  readonly foreseen: BudgetDimension | null;
}

export type StepStatus = 'pending' | 'committed' | 'failed' | 'skipped';

export interface StepProgress {
  readonly status: StepStatus;
  readonly attempts: number;
  readonly fact: Fact | null;
}

/** What a step committed: the confirmed part of what its tool returned, and where that can be looked up. */
export interface Fact {
  readonly value: Json;
  readonly evidenceId: string;
  /** The tool that returned it. */
  readonly source: string;
  /** The tool is trusted, and so was everything it was given: what is made of untrusted things is untrusted. */
  readonly trusted: boolean;
}

export interface Carried {
  readonly steps: Assoc<CarriedStep>;
  /** The step that filled each context key last. */
  readonly fillers: Assoc<string>;
  /** The step that each piece of evidence comes from. */
  readonly origins: Assoc<string>;
}

export interface CarriedStep {
  readonly step: PlanStep;
  readonly fact: Fact;
  readonly score: StepScore | null;
}

/** The one step that is being worked on, climbing the grounding ladder. */
export interface CurrentStep {
  readonly index: number;
  readonly stepId: string;
  readonly tool: string;
  readonly rung: 'intended' | 'cleared' | 'attempted' | 'observed' | 'verified' | 'failed' | 'committed';
  readonly args: JsonObject;
  readonly argsHash: string;
  readonly origin: CallOrigin;
  readonly mode: ApprovalMode;
  readonly attempt: number;
  readonly call: CallState | null;
  readonly observed: ObservedState | null;
  readonly reserved: Need | null;
  /** A repeated call waits until then. */
  readonly notBefore: number;
  /** The grant, given in advance, that lets this call pass without a person. */
  readonly standing?: string;
  /** The tool is not there, and its last good answer is to be given instead. */
  readonly cached?: true;
  /** The lane in which the step is worked on; absent for a call that the run makes itself. */
  readonly seat?: LaneSeat;
  /** What the run knew before it took over what the lane brought: known again where the Critic does not accept it. */
  readonly before?: Work;
  /** Nobody had to give a word for it, so that others may be worked on beside it. */
  readonly beside?: true;
  /** What the policies ruled when the call was cleared; absent where there are none. */
  readonly policy?: PolicyDecision;
  /** What the category of the tool shows of the call, as the gateway recorded it. */
  readonly preview?: JsonObject;
}

/** A step of the plan that is worked on in a lane: what was asked for, and what has come of it so far. */
export interface OpenLane {
  readonly step: CurrentStep;
  readonly seat: LaneSeat;
  /** Null until the lane has ended. */
  readonly observed: ObservedState | null;
  /** What only people can give it; null while it works. */
  readonly waits: LaneWait | null;
}

export interface CallState {
  readonly callId: string;
  readonly key: string;
  readonly dispatchBefore: number;
  readonly timeoutMs: number;
  /** A probe has said what it knows of this attempt; it is not asked a second time. */
  readonly reconciled: boolean;
}

export interface ObservedState {
  readonly outcome: ToolOutcome;
  readonly raw: Json;
  readonly detail: string;
  readonly spent: ToolCost;
  readonly confirmed: 'all' | readonly string[];
  /** How old it was, where it is an earlier answer of a tool that was not there. */
  readonly ageMs?: number;
  /** The call was never handed to its tool. */
  readonly unsent?: true;
  /** The model behind the tool cannot be used as it is configured. */
  readonly misconfigured?: true;
  /** What was found in the whole answer, where only its address is here. */
  readonly stored?: StoredAnswer;
  /** What became of the lane that did it, where one did. */
  readonly lane?: Pick<LaneNote, 'status'> & { readonly trusted: boolean };
  /** The probe that found it, where the tool's own answer was lost: it is believed no more than whoever told it. */
  readonly foundBy?: string;
}

export interface Counters {
  readonly calls: number;
  /** Repairs after tool failures in a row. */
  readonly repairsInARow: number;
  /** Checkpoints of the verdicts that denied something. */
  readonly denials: readonly string[];
  readonly violations: number;
  readonly claimRepairs: number;
  readonly checkpoints: number;
  readonly compressions: number;
  readonly reflections: Readonly<Record<string, number>>;
  /** The last reflection: how things stood when it was asked for, and what it took. */
  readonly reflected?: { readonly mark: string; readonly tokens: number };
}

export interface Ending {
  readonly inFlight: Flight | null;
  /** Whoever waited for what is in flight is gone: it is asked for again when the session goes on. */
  readonly adrift?: true;
  readonly stops: readonly Stop[];
  readonly verdict: StepVerdict | null;
  readonly runScores: Scores | null;
  readonly criteriaMet: boolean;
  readonly response: { readonly text: string; readonly claims: number } | null;
  /** An answer that waits for the reviewer who may release it. */
  readonly withheld?: { readonly text: string; readonly claims: number };
  readonly memoryProposals: number;
  /** Present while it is settled what is remembered: null until the gate has ruled. */
  readonly memory?: { readonly entries: readonly MemoryEntry[] | null };
  /** When a run that must end stops waiting for what it has called back. */
  readonly closeBy: number | null;
  /** Present from when an abandoned run begins to take back what it did. */
  readonly rollback?: Rollback;
  /** Present from when an ending run has its credentials revoked. */
  readonly revocation?: Revocation;
  readonly closing: boolean;
  readonly terminal: Terminal | null;
}

export interface Terminal {
  readonly code: TerminalCode;
  readonly reason: string;
  readonly detail: JsonObject;
  readonly suppressed: readonly TerminalCode[];
  readonly record: string;
}
