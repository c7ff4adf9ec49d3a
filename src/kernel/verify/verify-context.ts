import type { DecisionSpec } from '../../model/critic/decision.ts';
import type { FaultCode } from '../../model/fault/fault.ts';
import type { ApprovalMode } from '../../model/gate/approval-mode.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { PlanReply, PlanStep } from '../../model/plan/plan.ts';
import type { RequiredReasoning } from '../../model/plan/reasoning.ts';
import type { PolicyDecision, PolicyEngine } from '../../model/policy/policy-decision.ts';
import type { RiskClass } from '../../model/policy/risk.ts';
import type { ToolCost, ToolSpec } from '../../model/tool/tool.ts';
import type { Drafting } from './drafts.ts';
import type { OutputTerms } from './output.ts';
import type { PlanNaming } from './read-plan.ts';
import type { ToolTable } from './tool-table.ts';

/** Everything that a plan is verified against. */
export interface VerifyContext {
  readonly tools: ToolTable;
  readonly catalog: ReadonlyMap<string, DecisionSpec>;
  readonly policy: PolicyEngine;
  /** The strictest approval mode that this run has authority for. */
  readonly authority: ApprovalMode;
  readonly risk: RiskClass;
  /** Remaining budget by counter. A missing counter has nothing left. */
  readonly remaining: Readonly<Record<string, number>>;
  readonly known: KnownState;
  /** Whether a plan may leave arguments to be drafted; refused by default. */
  readonly drafting?: Drafting;
  /** Maximum cost of drafting for one step. */
  readonly draftCost?: ToolCost;
  /** Names for a plan without its own. */
  readonly naming?: PlanNaming;
  /** The kind of answer that the task of this run needs; from a tool by default. */
  readonly reasoning?: RequiredReasoning;
  /** The output that the plan has to bind; absent if the agent declares none. */
  readonly output?: OutputTerms;
  /** Forms in the inputs of a plan by the host. They are values, so the plan may not hold one of them. */
  readonly inputForms?: readonly JsonObject[];
  /** Whether a plan may be a reply of this kind, which uses no tool; refused by default. */
  readonly mayReply?: (kind: PlanReply['kind']) => boolean;
  /** Judges a step by the call policies, as far as its call is known; absent without policies. */
  readonly decide?: (step: PlanStep, spec: ToolSpec, expected: readonly string[]) => PolicyDecision;
  /** Lists the conditions of the boundary that deny a step; absent if the boundary has none. */
  readonly conditions?: (step: PlanStep, spec: ToolSpec, earlier: readonly PlanStep[]) => readonly DeniedCondition[];
  /** Lists the probes and the compensation of a step that the run may not call; absent for runs recorded without it. */
  readonly companions?: (step: PlanStep, spec: ToolSpec, expected: readonly string[]) => readonly RefusedCompanion[];
}

/** A probe or a compensation that the run may not call. */
export interface RefusedCompanion {
  readonly code: Extract<FaultCode, 'tool_not_allowed' | 'tool_inactive' | 'permission_denied'>;
  readonly message: string;
  readonly detail: JsonObject;
}

/** A condition of the boundary that denies a call: it holds, or nothing answers it. */
export interface DeniedCondition {
  readonly code: Extract<FaultCode, 'condition_not_met' | 'condition_unanswered'>;
  readonly message: string;
  readonly detail: JsonObject;
}

/** A read-only lookup by name, such as a `Map`. */
export interface Lookup<V> {
  get(name: string): V | undefined;
}

/** The committed steps of a run, and what makes a step of a new plan the same. */
export interface CommittedSteps {
  /** Committed steps of earlier plans, by id. */
  readonly committed: Lookup<CommittedStep>;
  /** Tools receive the inputs of their steps, so a step with other inputs is another call. */
  readonly inputsDelivered?: boolean;
}

/** The state of the run when the plan is proposed. */
export interface KnownState extends CommittedSteps {
  /** Evidence types that context items or committed steps already supply. */
  readonly evidence: ReadonlySet<string>;
  /** Context keys in state, with the types of their values; an empty list if they are unknown. */
  readonly keys: Lookup<readonly string[]>;
  /** The value of observations, evidence and notes as a justification, by id. */
  readonly support: Lookup<Support>;
  /** Tools whose answers no longer match their registered schema. This run may not use them again. */
  readonly setAside?: ReadonlySet<string>;
  /** The tool whose failure led to this plan. */
  readonly failing?: string;
  /** Decisions whose checkpoint this run has passed. */
  readonly decided: ReadonlySet<string>;
  /** Depth of this run; 0 is the root. */
  readonly depth: number;
  /** 2, unless a person approved more in the manifest. */
  readonly depthMax: number;
}

export interface CommittedStep {
  readonly step: PlanStep;
  /** Output schema of the step's tool. */
  readonly output: JsonObject;
  /** Another step has filled the same context key since, so this value is outdated. */
  readonly stale?: true;
}

/** Only `verified`, a confirmed observation that is not stale, may justify a step. */
export type Support = 'verified' | 'stale' | 'discarded' | 'assumed' | 'failed';

export const SUBTASK_DEPTH_MAX = 2;
