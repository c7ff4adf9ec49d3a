import type { ApprovalMode } from './approval-mode.ts';
import type { BudgetDimension } from './budget.ts';
import type { DraftTask } from './draft.ts';
import type { EffectOutcome } from './effect-outcome.ts';
import type { GateKind } from './gate.ts';
import type { Json, JsonObject } from './json.ts';
import type { AskedJudge } from './judge.ts';
import type { LaneSeat } from './lane.ts';
import type { MemoryEntry, MemoryProposal } from './memory.ts';
import type { CallOrigin } from './origin.ts';
import type { ReflectionTrigger } from './reflection.ts';
import type { Stop } from './stop.ts';
import type { ToolCall } from './tool.ts';
import type { Violation } from './violation.ts';

/** Why a planner is asked again, precisely enough that it can do better. */
export interface PlanReason {
  readonly code: string;
  readonly step_id: string | null;
  readonly message: string;
  readonly detail: JsonObject;
}

/**
 * Everything the kernel can want. A name is a verb and a noun. Effects are plain values: the loop performs them
 * and turns each answer into the next event.
 */
export interface EffectBodies {
  // Answered at once, from recorded data: their answers share the frame of the event that asked.
  classify_intent: Readonly<Record<never, never>>;
  resolve_scope: Readonly<Record<never, never>>;
  check_policy: Readonly<Record<never, never>>;
  init_run: Readonly<Record<never, never>>;
  verify_plan: { readonly proposal: Json };
  clear_step: {
    readonly step_id: string;
    readonly tool: string;
    readonly args: JsonObject;
    readonly args_hash: string;
    readonly attempt: number;
    readonly origin: CallOrigin;
    /** The tool is not there: whether an earlier answer of it may be given instead. */
    readonly cached?: true;
  };
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
  };
  foresee_shortage: { readonly dimension: BudgetDimension; readonly needed: number; readonly left: number };
  escalate_run: { readonly trigger: string; readonly stop: Stop; readonly refs: readonly string[] };
  note_violation: Violation;
  /** What the call is that takes another one back. `result` is what that one brought back. */
  propose_compensation: { readonly call: ToolCall; readonly result: Json; readonly tool: string };
  settle_compensation: { readonly settled: EffectOutcome };
  compile_response: Readonly<Record<never, never>>;
  propose_memory: Readonly<Record<never, never>>;
  /** Whether what was proposed may be remembered: the promotion gate. */
  rule_memory: { readonly proposals: readonly MemoryProposal[]; readonly validator: string };
  terminate_run: { readonly stop: Stop; readonly suppressed: readonly string[] };

  // Written into the frame; nobody answers.
  save_checkpoint: { readonly checkpoint_id: string; readonly payload: JsonObject };

  // Performed only after the frame that asked for them is durable.
  propose_plan: {
    readonly attempt: number;
    readonly reason: PlanReason | null;
    /** Present where the stronger planner is asked instead of the usual one. */
    readonly specialist?: true;
  };
  /** Has a model write what the plan leaves open of a step's arguments, before they are cleared. */
  draft_arguments: { readonly step_id: string; readonly tool: string; readonly drafts: readonly DraftTask[] };
  call_tool: {
    readonly call: ToolCall;
    readonly mode: ApprovalMode;
    /** The tools that a dispatcher passes the call on to, the outermost first. */
    readonly behind: readonly string[];
    readonly timeout_ms: number;
    readonly not_before: number;
    readonly dispatch_before: number;
    /** Answered from what was kept; nothing is sent. */
    readonly cached?: true;
  };
  /** Opens a lane, or finds the one that was opened by this very call before, and hears how it ends. */
  spawn_lane: { readonly call: ToolCall; readonly seat: LaneSeat; readonly not_before: number };
  /** Has a lane end, because its parent does, and hears how. */
  end_lane: { readonly call: ToolCall; readonly seat: LaneSeat; readonly reason: string };
  ask_user: { readonly question_id: string; readonly fields: readonly string[]; readonly readings: readonly string[] };
  /** Has a model say which of several readings of the request is meant. */
  read_intent: { readonly candidates: readonly string[] };
  reflect: { readonly trigger: ReflectionTrigger; readonly reason: PlanReason };
  compress_context: Readonly<Record<never, never>>;
  /** Writes what the promotion gate let through. The same entries may be written again. */
  write_memory: { readonly entries: readonly MemoryEntry[] };
  /** Puts a step, or with null the run, before models that judge. `safer` asks the stronger or stricter ones. */
  ask_judges: { readonly about: string | null; readonly asked: readonly AskedJudge[]; readonly safer: boolean };
  /** Has whatever was handed out for the run made worthless: it is confirmed that it is in the wrong hands. */
  revoke_credentials: {
    readonly revocation_id: string;
    readonly tools: readonly string[];
    readonly confirmed_by: string;
  };
  /** Asks a tool that only looks what became of a call nobody heard of again. */
  reconcile_call: { readonly call: ToolCall; readonly probe: string; readonly not_before: number };
  /** Asks a tool that only looks whether a call did what it says. `result` is what it said. */
  probe_step: { readonly call: ToolCall; readonly probe: string; readonly result: Json };
  abort_flight: { readonly flight: Flight };
}

/** What a run can be waiting for the world to answer. */
export type Flight =
  | 'plan'
  | 'draft'
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
