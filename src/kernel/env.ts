import type { KernelLimits } from '../model/budget/kernel-limits.ts';
import type { DecisionSpec } from '../model/critic/decision.ts';
import type { JudgeSpec } from '../model/critic/judge.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import type { GatePolicy } from '../model/gate/gate.ts';
import type { Hash } from '../model/json/hash.ts';
import type { PolicyEngine } from '../model/policy/policy-decision.ts';
import type { CompiledGraph } from './graph/compile.ts';
import type { RunState } from './state/run-state.ts';
import type { OutputCheck } from './verify/output.ts';
import type { ToolTable } from './verify/tool-table.ts';

/** Everything a run is pinned to at its start. It never changes during the run, and replay uses the same. */
export interface KernelEnv {
  readonly graph: CompiledGraph<RunState>;
  readonly tools: ToolTable;
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
  readonly policy: PolicyEngine;
  readonly rubric: Rubric;
  /** Detectors of the Critic as `name@version`. The kernel does not run them. */
  readonly detectors: readonly string[];
  /** A stronger planner exists, for when the usual one's results are not reliable. */
  readonly specialist?: boolean;
  /** Model judges, if there are any. */
  readonly judges?: readonly JudgeSpec[];
  /** The declared output of the agent; absent if there is none. */
  readonly output?: OutputCheck;
  /** The host's gate policies, by gate name. */
  readonly gates: ReadonlyMap<string, Partial<GatePolicy>>;
  readonly limits: KernelLimits;
  readonly hash: Hash;
}
