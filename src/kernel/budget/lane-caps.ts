import type { BudgetCaps, BudgetCounter, BudgetCounters } from '../../model/budget/budget.ts';
import { BUDGET_DIMENSIONS, COUNTER_ROWS, type CountedDimension, DIMENSIONS } from '../../model/budget/dimensions.ts';
import { NOTHING } from './account.ts';
import type { Need } from './budget.ts';

/**
 * The budget of lanes. Everything a lane may spend is reserved from its parent before it opens, so any number of
 * parallel lanes and their parent together stay within the parent's caps. At its end the parent is charged what the
 * lane spent, unanswered calls included, and gets the rest back.
 */

/** The caps of a lane: the wanted ones, limited by the parent's own. */
export function laneCaps(
  parent: BudgetCaps,
  wanted: BudgetCaps,
  leftMs: number = Number.POSITIVE_INFINITY,
): BudgetCaps {
  const caps: Record<string, number> = {};
  for (const dimension of BUDGET_DIMENSIONS) {
    const cap = `${dimension}_max` as const;
    if (DIMENSIONS[dimension].lane === 'below_parent') caps[cap] = Math.min(wanted[cap], parent[cap]);
  }
  const seconds = Math.min(wanted.wall_clock_seconds_max, parent.wall_clock_seconds_max, Math.ceil(leftMs / 1000));
  return { ...wanted, ...caps, wall_clock_seconds_max: seconds };
}

/** The parent's need for a lane: its step, the lane itself, and all that the lane may spend. */
export function laneNeed(caps: BudgetCaps): BudgetCounters {
  const need: Record<BudgetCounter, number> = { ...NOTHING };
  for (const { dimension, counter, scale } of COUNTER_ROWS)
    need[counter] = Math.round((caps[`${dimension}_max`] ?? 0) * scale) + laneItself(dimension);
  return need;
}

/** The parent's cost of a lane: its step, the lane itself, and all that the lane spent. */
export function laneSpent(used: Need): Need {
  const spent: Partial<Record<BudgetCounter, number>> = { ...used };
  for (const { dimension, counter } of COUNTER_ROWS)
    if (laneItself(dimension) > 0) spent[counter] = (used[counter] ?? 0) + laneItself(dimension);
  return spent;
}

const laneItself = (dimension: CountedDimension): number => (DIMENSIONS[dimension].lane === 'cap_and_itself' ? 1 : 0);
