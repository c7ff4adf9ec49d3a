import type { BudgetDimension } from '../budget/dimensions.ts';
import type { AskedJudge } from '../critic/judge.ts';
import type { SentenceRuling } from '../evidence/answer.ts';
import type { MemoryEntry, MemoryProposal } from '../evidence/memory.ts';
import type { CallOrigin } from '../evidence/origin.ts';
import type { Stop } from '../fault/terminal-code.ts';
import type { ApprovalMode } from '../gate/approval-mode.ts';
import type { GateKind } from '../gate/gate.ts';
import type { GateTerms } from '../gate/gate-terms.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { DraftTask } from '../plan/plan.ts';
import type { ReflectionTrigger } from '../plan/proposal.ts';
import type { LaneContext } from '../run/lane.ts';
import type { EffectOutcome } from '../tool/effect-outcome.ts';
import type { InputEvidence, StepInput } from '../tool/step-input.ts';
import type { ToolCall } from '../tool/tool.ts';
import type { Violation } from './model-events.ts';

/** The reason for a new planner request, with enough detail for a better plan. */
export interface PlanReason {
  readonly code: string;
  readonly step_id: string | null;
  readonly message: string;
  readonly detail: JsonObject;
}

/** Effects that the kernel answers from recorded data alone. Replay derives the answers again. */
export interface DerivedBodies {
  verify_plan: { readonly proposal: Json };
  attempt_step: { readonly call: ToolCall; readonly timeout_ms: number; readonly dispatch_before: number };
  verify_step: { readonly call_id: string };
  commit_step: {
    readonly call_id: string;
    readonly source: string;
    readonly version: number;
    readonly evidence_id: string;
    readonly validator: string;
  };
  judge_step: { readonly step_id: string };
  judge_run: Readonly<Record<never, never>>;
  open_gate: {
    readonly gate_id: string;
    readonly name: string;
    readonly gate_kind: GateKind;
    readonly step_id: string | null;
    readonly packet: JsonObject;
    readonly expires_at: number;
    /** All gates of the call, `name` first. Absent if `name` is the only one. */
    readonly gates?: readonly GateTerms[];
  };
  foresee_shortage: { readonly dimension: BudgetDimension; readonly needed: number; readonly left: number };
  escalate_run: { readonly trigger: string; readonly stop: Stop; readonly refs: readonly string[] };
  note_violation: Violation;
  settle_compensation: { readonly settled: EffectOutcome };
  /** The promotion gate: decides which proposed memories may be stored. */
  rule_memory: { readonly proposals: readonly MemoryProposal[]; readonly validator: string };
  /** Rules on the sentences of this attempt. */
  rule_sentences: { readonly attempt: number };
  /** Releases one sentence: as composed, or in the deterministic form of the facts that it cites. */
  release_sentence: { readonly index: number };
  /** Resolves the declared output from committed facts, and rules on it. */
  rule_output: Readonly<Record<never, never>>;
  terminate_run: { readonly stop: Stop; readonly suppressed: readonly string[] };
}

/** Effects that a performer answers at once, in the same frame. Replay takes the recorded answer. */
export interface LocalBodies {
  classify_intent: Readonly<Record<never, never>>;
  resolve_scope: Readonly<Record<never, never>>;
  check_policy: Readonly<Record<never, never>>;
  init_run: Readonly<Record<never, never>>;
  clear_step: {
    readonly step_id: string;
    readonly tool: string;
    readonly args: JsonObject;
    readonly args_hash: string;
    readonly inputs?: InputEvidence;
    readonly attempt: number;
    readonly origin: CallOrigin;
    /** The tool is unavailable; asks whether an earlier answer of it may be used. */
    readonly cached?: true;
  };
  /** Asks for the call that undoes `call`. `result` is the result of `call`. */
  propose_compensation: { readonly call: ToolCall; readonly result: Json; readonly tool: string };
  compile_response: Readonly<Record<never, never>>;
  propose_memory: Readonly<Record<never, never>>;
}

/** Effects that are written into the frame and have no answer. */
export interface FrameBodies {
  save_checkpoint: { readonly checkpoint_id: string; readonly payload: JsonObject };
}

/** Effects that the outside world performs, once the frame that requested them is durable. */
export interface OutsideBodies {
  propose_plan: {
    readonly attempt: number;
    readonly reason: PlanReason | null;
    /** Present if the request goes to the stronger planner instead of the usual one. */
    readonly specialist?: true;
  };
  /** Lets a model write the answer, or rewrite the sentences that the release check did not accept. */
  compose_answer: { readonly attempt: number; readonly rewrite: readonly SentenceRuling[] };
  /** Asks the agent's judge about sentences that are not provable, by their places in the answer. */
  judge_sentences: { readonly indexes: readonly number[] };
  /** Lets a model write the arguments that the plan leaves open, before the step is cleared. */
  draft_arguments: { readonly step_id: string; readonly tool: string; readonly drafts: readonly DraftTask[] };
  call_tool: {
    readonly call: ToolCall;
    /** The results of earlier steps for the tool's code; absent if the step names none. */
    readonly inputs?: readonly StepInput[];
    readonly mode: ApprovalMode;
    /** The tools that a dispatcher forwards the call to, outermost first. */
    readonly behind: readonly string[];
    readonly timeout_ms: number;
    readonly not_before: number;
    readonly dispatch_before: number;
    /** The answer comes from the cache; nothing is sent. */
    readonly cached?: true;
  };
  /** Opens a lane, or finds the one that the same call opened before, and waits for its result. */
  spawn_lane: { readonly call: ToolCall; readonly laneContext: LaneContext; readonly not_before: number };
  /** Ends a lane because its parent ends, and waits for its result. */
  end_lane: { readonly call: ToolCall; readonly laneContext: LaneContext; readonly reason: string };
  ask_user: { readonly question_id: string; readonly fields: readonly string[]; readonly readings: readonly string[] };
  /** Lets a model choose between several readings of the request. */
  read_intent: { readonly candidates: readonly string[] };
  reflect: { readonly trigger: ReflectionTrigger; readonly reason: PlanReason };
  compress_context: Readonly<Record<never, never>>;
  /** Writes the memories that passed the promotion gate. The same entries may be written more than once. */
  write_memory: { readonly entries: readonly MemoryEntry[] };
  /** Asks judge models about a step, or, with null, the run. `safer` selects the stronger or stricter judges. */
  ask_judges: { readonly about: string | null; readonly asked: readonly AskedJudge[]; readonly safer: boolean };
  /** Revokes the credentials that were issued for the run, because they are confirmed to be compromised. */
  revoke_credentials: {
    readonly revocation_id: string;
    readonly tools: readonly string[];
    readonly confirmed_by: string;
  };
  /** Uses a read-only probe tool to find out whether an unanswered call had its effect. */
  reconcile_call: { readonly call: ToolCall; readonly probe: string; readonly not_before: number };
  /** Uses a read-only probe tool to check that a call had the effect that its `result` reports. */
  probe_step: { readonly call: ToolCall; readonly probe: string; readonly result: Json };
  abort_flight: { readonly flight: Flight };
}

/**
 * Every effect of the kernel, by name: a verb and a noun. An effect is a plain value; the loop performs it and turns
 * its answer into the next event.
 */
export interface EffectBodies extends DerivedBodies, LocalBodies, FrameBodies, OutsideBodies {}

/** The kinds of answer from outside that a run can wait for. */
export type Flight =
  | 'plan'
  | 'draft'
  | 'answer'
  | 'verdicts'
  | 'call'
  | 'lane'
  | 'probe'
  | 'reflection'
  | 'compression'
  | 'judges'
  | 'reading'
  | 'memory'
  | 'revocation';

export type EffectKind = keyof EffectBodies;
export type EffectOf<K extends EffectKind> = { readonly kind: K } & EffectBodies[K];
export type Effect = { [K in EffectKind]: EffectOf<K> }[EffectKind];

/** Identifies a call by tool and arguments, in any run. */
export type CallName = Pick<EffectOf<'clear_step'>, 'tool' | 'args_hash'> & {
  /** The tool that has the effect: the inner tool of a dispatcher. */
  readonly effect_tool: string;
};
