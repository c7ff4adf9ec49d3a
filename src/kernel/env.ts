import type { DecisionSpec } from '../model/decision.ts';
import type { Hash } from '../model/hash.ts';
import type { Rubric } from '../model/rubric.ts';
import type { ToolCost } from '../model/tool.ts';
import type { CompiledGraph } from './graph/compile.ts';
import type { RunState } from './state.ts';
import type { ToolTable } from './verify/tool-table.ts';
import type { PolicyEngine } from './verify/verify-context.ts';

/** Everything a run was pinned to at its start. Fixed for its whole life; replay is given the same. */
export interface KernelEnv {
  readonly graph: CompiledGraph<RunState>;
  readonly tools: ToolTable;
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
  readonly policy: PolicyEngine;
  readonly rubric: Rubric;
  readonly limits: KernelLimits;
  readonly hash: Hash;
}

export interface KernelLimits {
  /** The most one planner call may spend; reserved before it is made. */
  readonly plannerCost: ToolCost;
  /** Below this the intent is asked about rather than guessed. */
  readonly intentConfidence: number;
  readonly gateTtlMs: number;
  /** How long after the intent a call may still be dispatched. */
  readonly dispatchWindowMs: number;
  readonly retryBaseMs: number;
  /** A run that must be handed to a person either waits for one or ends with the code of its trigger. */
  readonly onEscalate: 'pause' | 'end';
  /** Denials after which privileged proposals are no longer looked at. */
  readonly denialsMax: number;
  readonly contextLimit: number;
  /** Whether a planner lays out the whole work at once or one step at a time. */
  readonly planning: 'whole' | 'stepwise';
}

export const DEFAULT_LIMITS: KernelLimits = Object.freeze({
  plannerCost: Object.freeze({ input_tokens: 0, output_tokens: 0, microusd: 0 }),
  intentConfidence: 0.7,
  gateTtlMs: 3_600_000,
  dispatchWindowMs: 5_000,
  retryBaseMs: 200,
  onEscalate: 'pause',
  denialsMax: 3,
  contextLimit: 200_000,
  planning: 'whole',
});
