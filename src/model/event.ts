import type { ApprovalMode } from './approval-mode.ts';
import type { BudgetCaps, BudgetDimension } from './budget.ts';
import type { Claim } from './claim.ts';
import type { CachedAnswer } from './degradation.ts';
import type { EffectOutcome } from './effect-outcome.ts';
import type { EscalationEvent } from './escalation.ts';
import type { FaultCode } from './fault-table.ts';
import type { Deciders, DecisionProof, GateDecisionKind, GateKind } from './gate.ts';
import type { Goal } from './goal.ts';
import type { StandingGrant } from './grant.ts';
import type { Address } from './hash.ts';
import type { Identity, SecurityToken } from './identity.ts';
import type { Json, JsonObject } from './json.ts';
import type { JudgesAnswered } from './judge.ts';
import type { RunJudged, StepJudged } from './judgement.ts';
import type { RunManifest } from './manifest.ts';
import type { MemoryProposal, MemoryRuling } from './memory.ts';
import type { ModelCall } from './model-call.ts';
import type { FilledSlots, RequestGrant } from './origin.ts';
import type { Plan } from './plan.ts';
import type { PolicyDecision, StepDecision } from './policy-decision.ts';
import type { Problem } from './problem.ts';
import type { ReflectionTrigger } from './reflection.ts';
import type { RefusedDecision } from './refused-decision.ts';
import type { RiskClass } from './risk.ts';
import type { PauseCause, SessionStatus } from './session-status.ts';
import type { Stop } from './stop.ts';
import type { StoredAnswer } from './stored-answer.ts';
import type { TerminalCode } from './terminal-code.ts';
import type { ToolCost, ToolOutcome } from './tool.ts';
import type { PlanVerdict } from './verdict.ts';
import type { Violation } from './violation.ts';

/**
 * Everything that can happen to a run. A name is a noun and a past verb; a body is what was learned.
 * Events are the journal: whatever the kernel knows, it knows from them.
 */
export interface EventBodies {
  // The front door
  goal_received: {
    readonly run_id: string;
    readonly trace_id: string;
    readonly tenant_id: string;
    readonly goal: Goal;
    readonly inputs: JsonObject;
    readonly identity: Identity;
    readonly expires_at: number;
    readonly heartbeat_ms: number | null;
  };
  intent_classified: {
    readonly intent: string;
    readonly task_class: string;
    readonly risk: RiskClass;
    readonly modality: string;
    readonly capability: string;
    readonly confidence: number;
    readonly candidates: readonly string[];
    /** Present where one of them is regulated: the answer waits for a reviewer. */
    readonly regulated?: true;
  };
  /** Which reading a model found; null where it found none, or could not be asked. */
  intent_read: {
    readonly intent: string | null;
    readonly task_class: string;
    readonly confidence: number;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  scope_resolved: {
    readonly token: SecurityToken | null;
    readonly reason: string | null;
    /** Scopes that were asked for and that a person has to open first. Present only where there are some. */
    readonly confirm?: readonly string[];
  };
  policy_checked: { readonly cleared: boolean; readonly rule: string | null };
  run_initialized: {
    readonly manifest: RunManifest;
    readonly caps: BudgetCaps;
    /** Evidence the compiled context brings along: type to the id of the item. */
    readonly evidence: Readonly<Record<string, string>>;
    /** Until when each of these items may be rested on. */
    readonly fresh_until?: Readonly<Record<string, number>>;
    /** Address of the compiled context, as it was before anything was withheld. */
    readonly context?: Address;
    /** Memories that were put away when the run asked for what is remembered, each with the reason. */
    readonly quarantined?: Readonly<Record<string, string>>;
    /** Items of untrusted sources that the planner is shown from the start. Present only where there are some. */
    readonly untrusted_context?: readonly string[];
  };

  // Planning
  plan_proposed: {
    readonly proposal: Json;
    /** Who wrote it: code of the host, or a model. */
    readonly author: PlanAuthor;
    readonly spent: ToolCost;
    readonly context_tokens: number;
    /** Where host code put what the caller gave. A host that does not say so may have put it anywhere. */
    readonly filled?: FilledSlots;
    /** Every request to a model that led to it. */
    readonly calls?: readonly ModelCall[];
  };
  plan_failed: {
    readonly code: FaultCode;
    readonly message: string;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  plan_verified: {
    readonly verdict: PlanVerdict;
    readonly plan_hash: string | null;
    readonly problems: readonly Problem[];
    readonly checks: readonly string[];
    readonly projected: Readonly<Record<string, number>>;
    /** Present only where verification normalised what was proposed. */
    readonly plan?: Plan;
    /** Present where a model wrote the plan after it had untrusted text before it. */
    readonly tainted?: true;
    /** Present where there are rules about calls: what they say of each step, as far as its call is known. */
    readonly policy?: readonly StepDecision[];
  };

  // One action cycle
  /** What is left may not last to the end of the plan. A warning: only what is certain stops a run. */
  shortage_foreseen: { readonly dimension: BudgetDimension; readonly needed: number; readonly left: number };
  step_cleared: {
    readonly step_id: string;
    readonly args: JsonObject;
    readonly args_hash: string;
    readonly mode: ApprovalMode;
    readonly gates: readonly string[];
    /** Present where a limit of rate defers the call until then. */
    readonly not_before?: number;
    /** Present where the category of the tool has something to show to whoever decides. */
    readonly preview?: JsonObject;
    /** Present where the requester's own word stands for the gate that the mode asks for. */
    readonly granted?: RequestGrant;
    /** Present where a grant that a person gave in advance stands for the gate that the mode asks for. */
    readonly standing?: StandingGrant;
    /** Present where there are rules about calls. */
    readonly policy?: PolicyDecision;
  };
  step_refused: {
    readonly step_id: string;
    readonly layer: RefusalLayer;
    readonly code: FaultCode;
    readonly message: string;
    readonly missing: readonly string[];
    /** Present where the rules about calls had been asked by then. */
    readonly policy?: PolicyDecision;
  };
  step_attempted: {
    readonly call_id: string;
    readonly step_id: string;
    readonly tool: string;
    readonly args_hash: string;
    readonly idempotency_key: string;
    readonly attempt: number;
    readonly timeout_ms: number;
    readonly dispatch_before: number;
  };
  step_observed: {
    readonly call_id: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
    readonly detail?: string;
    readonly spent: ToolCost;
    /** Present where the tool was not there and an earlier answer of it was given instead. */
    readonly cached?: CachedAnswer;
    /** Every request to a model that the tool made for it. */
    readonly calls?: readonly ModelCall[];
    /** The gateway never handed the call to its tool: whatever it would have done has not happened. */
    readonly unsent?: true;
    /** Present where the answer is kept beside the journal: what was found when the whole of it was looked at. */
    readonly stored?: StoredAnswer;
  };
  /** What a tool said after its time was up. It is on record, and nothing is concluded from it. */
  answer_came_late: {
    readonly call_id: string;
    readonly outcome: ToolOutcome;
    readonly raw: Json;
    readonly detail: string;
    readonly spent: ToolCost;
  };
  /** What a read-only probe found out about a call that may or may not have had its effect. */
  call_reconciled: {
    readonly call_id: string;
    readonly probe: string;
    readonly finding: Reconciliation;
    /** What the call brought about, where it is known to have happened; otherwise what the probe said. */
    readonly raw: Json;
    readonly detail: string;
    readonly spent: ToolCost;
    /** Present where the gateway did not let the probe be asked. Then nothing is known. */
    readonly refused?: ProbeRefusal;
    /** Present where there are rules about calls and they were asked about this one. */
    readonly policy?: PolicyDecision;
    /** Present where what the call brought about is kept beside the journal. */
    readonly stored?: StoredAnswer;
  };
  /** What a read-only probe saw of an effect that a tool says it had. */
  step_probed: {
    readonly call_id: string;
    readonly probe: string;
    readonly as_expected: boolean;
    readonly raw: Json;
    readonly detail: string;
    readonly spent: ToolCost;
    readonly refused?: ProbeRefusal;
    readonly policy?: PolicyDecision;
  };
  step_verified: {
    readonly call_id: string;
    readonly ok: boolean;
    readonly confirmed: 'all' | readonly string[];
    readonly validator: string;
    readonly problems: readonly Problem[];
  };
  step_committed: {
    /** The call in whose transcript all of this can be looked up. */
    readonly call_id: string;
    /** The tool that said it. */
    readonly source: string;
    readonly version: number;
    readonly evidence_id: string;
    readonly validator: string;
  };
  /** With what an effect of an abandoned run is taken back; null where its arguments could not be made out. */
  compensation_proposed: {
    /** The call that had the effect. */
    readonly call_id: string;
    readonly tool: string;
    readonly args: JsonObject | null;
    readonly detail: string;
  };
  /** What became of one effect of an abandoned run. */
  step_compensated: { readonly settled: EffectOutcome };
  step_judged: StepJudged;
  run_judged: RunJudged;

  /** What models said that were asked to judge, as they said it. What that means is worked out anew each time. */
  judges_answered: JudgesAnswered;

  // People
  gate_opened: {
    readonly gate_id: string;
    readonly name: string;
    readonly gate_kind: GateKind;
    readonly step_id: string | null;
    readonly packet_hash: string;
    readonly expires_at: number;
    /** Present where the host has settled who decides gates of this name. */
    readonly deciders?: Deciders;
  };
  gate_decided: {
    readonly gate_id: string;
    readonly packet_hash: string;
    readonly decision: GateDecisionKind;
    readonly approver: string;
    readonly reason: string;
    /** For `edit` alone: the arguments as the person wants them. They are cleared and shown anew. */
    readonly parameters?: JsonObject;
    /** For `request_info` alone: who is asked, where it is not the one for whom the run acts. */
    readonly asks?: string;
    /** For `approve` alone: whose earlier yes counts no more, because the key it was signed with has been revoked. */
    readonly dismissed?: readonly string[];
    readonly proof?: DecisionProof;
  };
  /** Who was asked before a gate is decided has answered: the gate shows it, and asks anew. */
  info_provided: {
    readonly gate_id: string;
    readonly packet_hash: string;
    readonly by: string;
    readonly text?: string;
    readonly evidence?: readonly string[];
    readonly proof?: DecisionProof;
  };
  /** Somebody tried to decide and could not. It is on record, and nothing else has come of it. */
  decision_refused: {
    /** Absent where it was about the run itself. */
    readonly gate_id?: string;
    readonly packet_hash?: string;
    readonly decision: RefusedDecision;
    /** Who they said they were; whether they are is what was in question. */
    readonly claimed_by: string;
    readonly code: FaultCode;
    readonly message: string;
  };
  question_asked: {
    readonly question_id: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
    /** Of the question as it was put. */
    readonly packet_hash?: string;
  };
  question_answered: {
    readonly question_id: string;
    readonly answers: JsonObject;
    readonly changes_scope: boolean;
    readonly by: string;
    /** What the answer is about, word for word. Refused if something else is asked by now. */
    readonly packet_hash?: string;
  };
  /** With what the run ends if the handover leads nowhere. */
  run_escalated: { readonly escalation: EscalationEvent; readonly stop: Stop; readonly packet_hash?: string };
  escalation_decided: {
    readonly decision: 'continue' | 'finalize' | 'terminate';
    readonly by: string;
    readonly reason: string;
    readonly packet_hash?: string;
    readonly proof?: DecisionProof;
  };
  budget_extended: {
    readonly by: string;
    readonly reason: string;
    readonly delta: Readonly<Record<string, number>>;
    readonly packet_hash?: string;
    readonly proof?: DecisionProof;
  };
  run_paused: { readonly cause: PauseCause; readonly by: string };
  run_resumed: { readonly by: string; readonly operator: boolean; readonly proof?: DecisionProof };
  run_cancelled: { readonly by: string; readonly reason: string; readonly proof?: DecisionProof };

  // Models, besides plans
  proposal_made: { readonly kind: string; readonly payload: Json };
  transition_requested: { readonly to: string };
  /** Something reached past the bound. It is on record, and nothing else has come of it. */
  violation_noted: Violation;
  reflection_made: {
    readonly trigger: ReflectionTrigger;
    readonly note: string;
    readonly spent: ToolCost;
    readonly calls?: readonly ModelCall[];
  };
  context_compressed: {
    readonly lost: readonly string[];
    readonly tokens: number;
    readonly pointer: string;
    /** Pointers of what is no longer shown, and what remains to be said of it. */
    readonly demoted?: readonly string[];
    readonly digest?: string;
    readonly spent?: ToolCost;
    readonly calls?: readonly ModelCall[];
  };

  // The world around
  run_reloaded: { readonly writer: string };
  time_passed: Readonly<Record<never, never>>;
  stop_raised: { readonly stop: Stop };

  // The end
  response_compiled: { readonly claims: readonly Claim[]; readonly text: string };
  memory_proposed: {
    readonly proposals: readonly MemoryProposal[];
    /** Present where there is a memory to write to: who rules on them. */
    readonly validator?: string;
  };
  memory_ruled: { readonly rulings: readonly MemoryRuling[] };
  memory_written: {
    readonly written: readonly string[];
    readonly failed: readonly { readonly entry_id: string; readonly reason: string }[];
  };
  run_terminated: {
    readonly code: TerminalCode;
    readonly reason: string;
    readonly detail: JsonObject;
    readonly status: SessionStatus;
    readonly suppressed: readonly TerminalCode[];
    readonly record: string;
  };
}

/** What can be known afterwards about a call that was not heard of again. */
export const RECONCILIATIONS = ['happened', 'did_not_happen', 'unknown'] as const;
export type Reconciliation = (typeof RECONCILIATIONS)[number];

/** Which check of the gateway said no. */
export const REFUSAL_LAYERS = ['registry', 'schema', 'permission', 'budget', 'risk', 'infrastructure'] as const;
export type RefusalLayer = (typeof REFUSAL_LAYERS)[number];

/** Which layer did not let a probe be asked, and why. */
export interface ProbeRefusal {
  readonly layer: RefusalLayer;
  readonly code: FaultCode;
}

export type PlanAuthor = 'host' | 'model';

export type EventType = keyof EventBodies;
export type EventOf<T extends EventType> = { readonly type: T; readonly at: number } & EventBodies[T];
export type RunEvent = { [T in EventType]: EventOf<T> }[EventType];

/** An event before the loop has stamped it with the time. */
export type EventBody = { [T in EventType]: { readonly type: T } & EventBodies[T] }[EventType];
