import type { CompiledContext } from '../model/context.ts';
import type { PlanReason } from '../model/effect.ts';
import type { PlanAuthor } from '../model/event.ts';
import type { Goal } from '../model/goal.ts';
import type { JsonObject } from '../model/json.ts';
import type { FilledSlots } from '../model/origin.ts';
import type { Plan } from '../model/plan.ts';
import type { ToolCost, ToolSpec } from '../model/tool.ts';

export interface PlanRequest {
  readonly goal: Goal;
  /** What the caller gave with the goal, and what was answered since. */
  readonly inputs: JsonObject;
  readonly context: CompiledContext;
  /** The tools this run may use, and no others. */
  readonly tools: readonly ToolSpec[];
  /** 1 for the first plan of a run. */
  readonly attempt: number;
  /** What was wrong with the last one; null for the first. */
  readonly reason: PlanReason | null;
}

export interface PlanAnswer {
  /** Whatever the planner made. A stranger's value: it becomes a plan only by being parsed and verified. */
  readonly proposal: unknown;
  readonly author: PlanAuthor;
  readonly spent: ToolCost;
  readonly contextTokens: number;
  /** Where host code has put inputs into its plan. Left out, every value of it counts as one where others speak in them. */
  readonly filled?: FilledSlots;
}

/** Proposes and does nothing else: it is given no way to reach a tool. */
export interface Planner {
  /** Plans by intent, where they are written beforehand: what they name is checked when the agent is put together. */
  readonly written?: Readonly<Record<string, Plan>>;
  propose(request: PlanRequest, signal: AbortSignal): Promise<PlanAnswer>;
}
