import type { CompiledContext } from '../model/context.ts';
import type { DecisionSpec } from '../model/decision.ts';
import type { PlanReason } from '../model/effect.ts';
import type { PlanAuthor } from '../model/events/plan-events.ts';
import type { Goal } from '../model/goal.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { FilledSlots } from '../model/origin.ts';
import type { Plan, PlanStep } from '../model/plan.ts';
import type { Problem } from '../model/problem.ts';
import type { ReactMessage } from '../model/react-message.ts';
import type { ToolCost, ToolSpec } from '../model/tool.ts';
import type { PlanVerdict } from '../model/verdict.ts';
import type { BoundTool } from './bound-tool.ts';
import type { ModelDesk, ModelUse } from './language-model.ts';
import type { Scratchpad } from './scratchpad.ts';

export interface PlanRequest {
  readonly goal: Goal;
  /** What the caller gave with the goal, and what was answered since. */
  readonly inputs: JsonObject;
  readonly context: CompiledContext;
  /** The tools this run may use, and no others. */
  readonly tools: readonly ToolSpec[];
  /** 1 for the first plan of a run. */
  readonly attempt: number;
  /** What operators have said to whoever plans, oldest first. Present where they have. Their word, and no evidence. */
  readonly notes?: readonly { readonly by: string; readonly text: string }[];
  /** What was wrong with the last one; null for the first. */
  readonly reason: PlanReason | null;
  /** Whose plans the graph takes: on the lower rungs only those that host code has written. */
  readonly from: PlanAuthor;
  /** Whether the whole work is to be laid out, or only what comes next. */
  readonly mode: 'whole' | 'stepwise';
  readonly decisions: readonly DecisionSpec[];
  /** What is left of each budget, under the names and in the units of its dimensions. */
  readonly budget: Readonly<Record<string, number>>;
  /** Present once the context was compressed: what remains to be said of what is no longer shown. */
  readonly digest?: string;
  /** What the run has committed so far, in order. */
  readonly done: readonly DoneStep[];
  /** Where one step is decided at a time: what was decided so far and what came of it, in order. Empty otherwise. */
  readonly history: readonly ReactMessage[];
  /** Present where a plan may leave arguments open, for a model to write when their step comes up. */
  readonly mayDraft?: true;
  /** Whether the task is of a kind that a model may answer by itself, with `answer` in its plan. */
  readonly mayAnswer: boolean;
}

/** A step that was carried out, and what came of it. */
export interface DoneStep {
  readonly step: PlanStep;
  readonly evidenceId: string;
  readonly value: Json;
  readonly trusted: boolean;
}

export interface PlanAnswer {
  /** Whatever the planner made. A stranger's value: it becomes a plan only by being parsed and verified. */
  readonly proposal: unknown;
  readonly author: PlanAuthor;
  /** What it took beyond the models asked at the desk, which are charged as measured there. */
  readonly spent: ToolCost;
  readonly contextTokens: number;
  /** Where host code has put inputs into its plan. Left out, every value of it counts as one where others speak in them. */
  readonly filled?: FilledSlots;
}

/** What the Critic would say of a proposal. `replan`: another plan can mend all that is wrong with it. */
export interface CheckedPlan {
  readonly verdict: PlanVerdict;
  readonly problems: readonly Problem[];
}

/**
 * Holds a proposal against everything that it will be held against. Asking changes nothing and settles nothing: what is
 * proposed in the end is verified again, and that verdict counts.
 */
export type CheckPlan = (proposal: unknown) => CheckedPlan;

/** Proposes and does nothing else: it is given no way to reach a tool. */
export interface Planner {
  /** Plans by intent, where they are written beforehand: what they name is checked when the agent is put together. */
  readonly written?: Readonly<Record<string, Plan>>;
  /** The most that one plan may take of models. It is set aside before the planner is asked. */
  readonly cost?: ToolCost;
  /** Tools it brings along for its plans. One of the host's under the same name is used instead. */
  readonly tools?: readonly BoundTool[];
  /** How it plans, where it can plan in one way only. The graph and the planning of its runs follow from that. */
  readonly planning?: 'whole' | 'stepwise';
  /** For one that decides step by step: how many steps a run may have carried out. */
  readonly stepsMax?: number;
  /** The models it asks. They are checked when the agent is put together, and a run is pinned to them. */
  readonly uses?: readonly ModelUse[];
  /**
   * A stronger or stricter planner, which makes the next plan where nobody can rely on what this one led to. Once a run,
   * and only where the boundary names `specialist_model` among its escalation paths.
   */
  readonly safer?: Planner;
  /** The request is data and nothing else. The pad is for working notes, which are gone with the step. */
  propose(
    request: PlanRequest,
    signal: AbortSignal,
    desk: ModelDesk,
    check: CheckPlan,
    pad: Scratchpad,
  ): Promise<PlanAnswer>;
}
