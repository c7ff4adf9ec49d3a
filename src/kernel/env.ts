import type { KernelLimits } from '../model/budget/kernel-limits.ts';
import type { DecisionSpec } from '../model/critic/decision.ts';
import type { JudgeSpec } from '../model/critic/judge.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import type { GatePolicy } from '../model/gate/gate.ts';
import type { Hash } from '../model/json/hash.ts';
import type { PolicyEngine } from '../model/policy/policy-decision.ts';
import type { RunManifest } from '../model/run/manifest.ts';
import type { CompiledGraph, GuardTable } from './graph/compile.ts';
import type { RunState } from './state/run-state.ts';
import type { OutputCheck } from './verify/output.ts';
import type { ToolTable } from './verify/tool-table.ts';

/**
 * Everything a run is pinned to at its start. Only a migration by an operator changes its tools, and replay uses the
 * same.
 */
export interface KernelEnv {
  readonly graph: CompiledGraph<RunState>;
  /** The shipped guards and those of the host, to compile recorded graphs; absent if the host has none. */
  readonly guards?: GuardTable<RunState>;
  readonly tools: ToolTable;
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
  readonly policy: PolicyEngine;
  readonly rubric: Rubric;
  /** Detectors of the Critic as `name@version`. The kernel does not run them. */
  readonly detectors: readonly string[];
  /** Every evaluator that a rubric can name here, as `name@version`; absent if that is not known. */
  readonly evaluators?: readonly string[];
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
  /** The tools that the run was migrated to, by registry version; absent if it was not. */
  readonly migrated?: ReadonlyMap<string, ToolTable>;
}

/** The part of a state that tells which tools the run has. */
interface AtManifest {
  readonly manifest: Pick<RunManifest, 'tool_registry_version'> | null;
}

const MIGRATED = new WeakMap<KernelEnv, Map<ToolTable, KernelEnv>>();

/** The environment of the next event: a run that has been migrated decides with its newer tools. */
export function envAt(env: KernelEnv, { manifest }: AtManifest): KernelEnv {
  if (env.migrated === undefined || manifest === null) return env;
  const tools = env.migrated.get(manifest.tool_registry_version);
  if (tools === undefined || tools === env.tools) return env;
  // One object per table, because others compare and cache environments by identity.
  const known = MIGRATED.get(env) ?? new Map<ToolTable, KernelEnv>();
  MIGRATED.set(env, known);
  const migrated = known.get(tools) ?? { ...env, tools };
  known.set(tools, migrated);
  return migrated;
}
