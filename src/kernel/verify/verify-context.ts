import type { ApprovalMode } from '../../model/approval-mode.ts';
import type { DecisionSpec } from '../../model/decision.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Plan, PlanStep } from '../../model/plan.ts';
import type { PolicyDecision, PolicyJudge } from '../../model/policy-decision.ts';
import type { Reasoning } from '../../model/reasoning.ts';
import type { RiskClass } from '../../model/risk.ts';
import type { ToolCost, ToolSpec } from '../../model/tool.ts';
import type { PlanNaming } from './capability-plan.ts';
import type { Drafting } from './draft-problems.ts';
import type { ToolTable } from './tool-table.ts';

/** What a plan is held against. */
export interface VerifyContext {
  readonly tools: ToolTable;
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
  readonly policy: PolicyEngine;
  /** The strictest approval mode this run has authority for. */
  readonly authority: ApprovalMode;
  readonly risk: RiskClass;
  /** What is left of the budget, by counter. A counter that is absent has nothing left. */
  readonly remaining: Readonly<Record<string, number>>;
  readonly known: KnownState;
  /** Whether a plan may leave arguments open for a model to write; it may not, where nothing is said. */
  readonly drafting?: Drafting;
  /** The most that writing for one step may take. */
  readonly draftCost?: ToolCost;
  /** For a plan that does not say what it is called. */
  readonly naming?: PlanNaming;
  /** Who may answer for the task of this run; a tool, where that is not known. */
  readonly reasoning?: { readonly needed: Reasoning; readonly task: string };
  /** What the rules about calls say of a step, as far as its call is known; absent where there are none. */
  readonly decide?: (step: PlanStep, spec: ToolSpec, expected: readonly string[]) => PolicyDecision;
}

/** Rules over whole plans. A value, so that verification stays a function; the real engine stands behind it. */
export interface PolicyEngine {
  readonly version: string;
  /** The invariants this plan breaks. */
  invariants(plan: Plan): readonly BrokenInvariant[];
  /** Rules about single calls. */
  readonly calls?: PolicyJudge;
  /** Rules that are only tried out: asked beside the others at dispatch, written down, never heeded. */
  readonly candidate?: PolicyJudge;
}

export interface BrokenInvariant {
  readonly invariant: string;
  readonly message: string;
}

/** Values by name, however they are kept. A `Map` is one. */
export interface Lookup<V> {
  get(name: string): V | undefined;
}

/** What the run knows when the plan is proposed. */
export interface KnownState {
  /** Evidence types that context items or committed steps already supply. */
  readonly evidence: ReadonlySet<string>;
  /** Steps of this plan's predecessors that were committed, by id. */
  readonly committed: Lookup<CommittedStep>;
  /** Context keys in state, and the types of what each holds; an empty list where that is not known. */
  readonly keys: Lookup<readonly string[]>;
  /** What observations, evidence and notes are worth as a reason, by id. */
  readonly support: Lookup<Support>;
  /** Tools that answered in another shape than they were registered with: not for this run any more. */
  readonly setAside?: ReadonlySet<string>;
  /** The tool whose failure is the reason for this plan. */
  readonly failing?: string;
  /** Decisions whose checkpoint this run has passed. */
  readonly decided: ReadonlySet<string>;
  /** How deep this run stands: 0 is the root. */
  readonly depth: number;
  /** Two, unless a person approved more in the manifest. */
  readonly depthMax: number;
}

export interface CommittedStep {
  readonly step: PlanStep;
  /** Output schema of the tool it called. */
  readonly output: JsonObject;
  /** Present where another step has filled its context key since: what it said is the older word. */
  readonly stale?: true;
}

/** Only `verified` may justify a step: an observation that was confirmed and has not gone stale. */
export type Support = 'verified' | 'stale' | 'discarded' | 'assumed' | 'failed';

export const DEPTH_MAX = 2;
