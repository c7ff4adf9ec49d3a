import type { DecisionSpec } from '../../model/critic/decision.ts';
import type { PlanVerdict } from '../../model/critic/verdict.ts';
import type { PlanReason } from '../../model/events/effect.ts';
import type { PlanAuthor } from '../../model/events/plan-events.ts';
import type { CompiledContext } from '../../model/evidence/context.ts';
import type { FilledSlots } from '../../model/evidence/origin.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { Plan, PlanStep } from '../../model/plan/plan.ts';
import type { ReactMessage } from '../../model/plan/react-message.ts';
import type { ToolCost, ToolSpec } from '../../model/tool/tool.ts';
import type { BoundTool } from '../bound-tool.ts';
import type { Scratchpad } from '../workspace-files.ts';
import type { ModelClient, ModelUse } from './language-model.ts';

export interface PlanRequest {
  readonly goal: Goal;
  /** The inputs that the caller passed with the goal, and later answers. */
  readonly inputs: JsonObject;
  readonly context: CompiledContext;
  /** The only tools that this run may use. */
  readonly tools: readonly ToolSpec[];
  /** 1 for the first plan of a run. */
  readonly attempt: number;
  /** The developer's instructions to the agent's models. Left out if there are none. */
  readonly instructions?: string;
  /** Notes from operators to the planner, oldest first. Left out if there are none. They are not evidence. */
  readonly notes?: readonly { readonly by: string; readonly text: string }[];
  /** The problem with the previous plan; null for the first one. */
  readonly reason: PlanReason | null;
  /** The author that the graph accepts: on the lower rungs, only plans written by host code. */
  readonly from: PlanAuthor;
  /** Plan all the work, or only the next step. */
  readonly mode: 'whole' | 'stepwise';
  readonly decisions: readonly DecisionSpec[];
  /** The remaining budget, by dimension name and in the dimension's unit. */
  readonly budget: Readonly<Record<string, number>>;
  /** A summary of the part of the context that is no longer shown. Present after a compression. */
  readonly digest?: string;
  /** Present if the summary may repeat untrusted text. */
  readonly untrustedDigest?: true;
  /** The committed steps, in order. */
  readonly done: readonly DoneStep[];
  /** In stepwise planning: the decisions so far and their results, in order. Otherwise empty. */
  readonly history: readonly ReactMessage[];
  /** Present if a plan may leave arguments open for a model to write when their step is next. */
  readonly mayDraft?: true;
  /** The JSON Schema of the output that the plan has to bind. Left out if the agent declares none. */
  readonly output?: JsonObject;
  /** Whether a model may answer this kind of task without tools, with `answer` in its plan. */
  readonly mayAnswer: boolean;
  /** Present if a model may reply to a message that asks for no action, with `reply` in its plan. */
  readonly mayReply?: true;
  /** Present if a model may still say that no tool can do the requested action, with such a `reply` in its plan. */
  readonly mayRefuse?: true;
}

export interface DoneStep {
  readonly step: PlanStep;
  readonly evidenceId: string;
  readonly value: Json;
  readonly trusted: boolean;
}

export interface PlanAnswer {
  /** The planner's output. It is untrusted until parsed and verified as a plan. */
  readonly proposal: unknown;
  readonly author: PlanAuthor;
  /** The cost apart from the model client's requests, which the client charges itself. */
  readonly spent: ToolCost;
  readonly contextTokens: number;
  /**
   * The places where host code put inputs into its plan. If left out and an input holds text of third parties, every
   * literal value of the plan counts as coming from it.
   */
  readonly filled?: FilledSlots;
}

/** The Critic's verdict on a proposal. `replan`: another plan can fix every problem. */
export interface CheckedPlan {
  readonly verdict: PlanVerdict;
  readonly problems: readonly Problem[];
}

/** Runs all plan checks on a proposal, without side effects. The final proposal is verified again. */
export type CheckPlan = (proposal: unknown) => CheckedPlan;

/** Proposes plans. It cannot reach a tool. */
export interface Planner {
  /** Prewritten plans by intent. The names in them are checked when the agent is assembled. */
  readonly written?: Readonly<Record<string, Plan>>;
  /** The maximum model cost of one plan. It is reserved before the planner runs. */
  readonly cost?: ToolCost;
  /** Tools that its plans use. A host's tool with the same name takes precedence. */
  readonly tools?: readonly BoundTool[];
  /** The only mode this planner supports, if it has just one. It determines the graph and planning of its runs. */
  readonly planning?: 'whole' | 'stepwise';
  /** For a stepwise planner: the maximum number of executed steps in a run. */
  readonly stepsMax?: number;
  /** The models it asks. They are checked when the agent is assembled, and runs are pinned to them. */
  readonly uses?: readonly ModelUse[];
  /**
   * A stronger or stricter planner for the next plan after this one's result proved unreliable. Used once per run, and
   * only if the boundary lists `specialist_model` among its escalation paths.
   */
  readonly safer?: Planner;
  /** The request is plain data. The scratchpad holds working notes and is discarded with the step. */
  propose(
    request: PlanRequest,
    signal: AbortSignal,
    client: ModelClient,
    check: CheckPlan,
    pad: Scratchpad,
  ): Promise<PlanAnswer>;
}
