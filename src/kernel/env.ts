import type { DecisionSpec } from '../model/decision.ts';
import type { GatePolicy } from '../model/gate.ts';
import type { Hash } from '../model/hash.ts';
import type { JudgeSpec } from '../model/judge.ts';
import type { KernelLimits } from '../model/kernel-limits.ts';
import type { Rubric } from '../model/rubric.ts';
import { NO_COST } from '../model/tool.ts';
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
  /** Each as `name@version`. The Critic asks them; the kernel only knows which they are. */
  readonly detectors: readonly string[];
  /** Whether there is a stronger planner for where nobody can rely on what the usual one led to. */
  readonly specialist?: boolean;
  /** Models that judge as well, where there are some. */
  readonly judges?: readonly JudgeSpec[];
  /** What the host settled about gates, by their names. */
  readonly gates: ReadonlyMap<string, Partial<GatePolicy>>;
  readonly limits: KernelLimits;
  readonly hash: Hash;
}

export const DEFAULT_LIMITS: KernelLimits = Object.freeze({
  plannerCost: NO_COST,
  classifierCost: null,
  reviewerCost: null,
  drafterCost: null,
  intentConfidence: 0.7,
  gateTtlMs: 3_600_000,
  questionTtlMs: 86_400_000,
  dispatchWindowMs: 5_000,
  retryBaseMs: 200,
  retriesPerRunMax: 100,
  retryCooldownMs: 30_000,
  duplicateWindowMs: 60_000,
  onEscalate: 'pause',
  onBreach: 'end',
  denialsMax: 3,
  callsPerMinuteMax: 3_000,
  contextLimit: 200_000,
  planning: 'whole',
  reactStepsMax: 100,
  parallelSteps: 1,
  laneFanoutMax: 8,
});
