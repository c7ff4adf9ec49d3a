import type { Budget, BudgetCaps, BudgetCounters } from '../model/budget.ts';
import { type BudgetRefusal, type Need, openBudget, reserve, type Settlement, settle } from './budget.ts';
import { add, subtract, toMicrousd } from './budget-account.ts';
import { type BudgetApproval, extend } from './budget-extend.ts';

/** A lane with its own budget, and the parent that has set all of it aside. */
export type LaneReservation = { readonly ok: true; readonly parent: Budget; readonly lane: Budget } | BudgetRefusal;

/**
 * Opens a lane. Everything it may spend is reserved out of the parent's remainder first, so however many lanes run
 * at once, they and their parent together cannot spend more than the parent had. What is not counted but measured
 * (time, context, retries) is never more generous than at the parent.
 */
export function reserveLane(parent: Budget, wanted: BudgetCaps): LaneReservation {
  const caps = laneCaps(parent.caps, wanted);
  const reserved = reserve(parent, laneNeed(caps));
  return reserved.ok ? { ok: true, parent: reserved.budget, lane: openBudget(caps) } : reserved;
}

/**
 * Closes a lane: the parent is charged what the lane spent and gets the rest back. A call of the lane that never
 * came back stays charged, since nobody knows what it took.
 */
export function settleLane(parent: Budget, lane: Budget): Settlement {
  const spent = add(add(lane.used, lane.reserved), { lanes: 1 });
  return settle(parent, laneNeed(lane.caps), spent);
}

/** A lane grows only out of its parent's remainder, even where a person allows it to grow. */
export function extendLane(
  parent: Budget,
  lane: Budget,
  delta: Readonly<Record<string, number>>,
  approval: BudgetApproval,
): LaneReservation {
  const grown = extend(lane, delta, approval);
  const more = reserve(parent, subtract(laneNeed(grown.caps), laneNeed(lane.caps)));
  return more.ok ? { ok: true, parent: more.budget, lane: grown } : more;
}

/** What a lane is given: what it wants, and nowhere more generous than its parent is to itself. */
export function laneCaps(
  parent: BudgetCaps,
  wanted: BudgetCaps,
  leftMs: number = Number.POSITIVE_INFINITY,
): BudgetCaps {
  const seconds = Math.min(wanted.wall_clock_seconds_max, parent.wall_clock_seconds_max, Math.ceil(leftMs / 1000));
  return {
    ...wanted,
    wall_clock_seconds_max: seconds,
    context_tokens_max: Math.min(wanted.context_tokens_max, parent.context_tokens_max),
    retry_count_max: Math.min(wanted.retry_count_max, parent.retry_count_max),
  };
}

/** The step of the parent that waits for a lane, and all that the lane may spend. */
export const laneStepNeed = (caps: BudgetCaps): Need => ({ ...laneNeed(caps), steps: caps.steps_max + 1 });

/** The step, and what the lane has spent. */
export const laneStepSpent = (used: Need): Need => ({
  ...used,
  steps: (used.steps ?? 0) + 1,
  lanes: (used.lanes ?? 0) + 1,
});

/** All that a lane may spend, and the lane itself. */
function laneNeed(caps: BudgetCaps): BudgetCounters {
  return {
    input_tokens: caps.input_tokens_max,
    output_tokens: caps.output_tokens_max,
    tool_calls: caps.tool_calls_max,
    external_api_calls: caps.external_api_calls_max,
    cost_microusd: toMicrousd(caps.inference_cost_usd_max),
    tool_spend_microusd: toMicrousd(caps.tool_spend_usd_max ?? 0),
    reflection_passes: caps.reflection_passes_max,
    memory_writes: caps.memory_writes_max,
    side_effects: caps.side_effects_max,
    steps: caps.steps_max,
    replan_attempts: caps.replan_attempts_max,
    lanes: caps.lanes_max + 1,
  };
}
