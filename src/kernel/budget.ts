import type { Allotment, Budget, BudgetCaps, BudgetDimension, BudgetRole, Need, Tally } from '../model/budget.ts';
import { Fault } from '../model/fault.ts';
import {
  add,
  assertAmounts,
  COUNTER_ROWS,
  EMPTY_TALLY,
  fits,
  isAmount,
  left,
  NOTHING,
  unreserve,
  within,
} from './budget-account.ts';

export type { Need } from '../model/budget.ts';

/** Why an action may not be taken. Amounts are in the unit of the dimension: dollars for money. */
export interface BudgetRefusal {
  readonly ok: false;
  readonly code: 'budget_exhausted';
  readonly dimension: BudgetDimension;
  readonly needed: number;
  readonly left: number;
  /** Present where the run has enough and only this role's allotment is spent. */
  readonly role?: BudgetRole;
}
export type Reservation = { readonly ok: true; readonly budget: Budget } | BudgetRefusal;

export function openBudget(caps: BudgetCaps): Budget {
  return {
    caps,
    used: NOTHING,
    reserved: NOTHING,
    roles: { planner: EMPTY_TALLY, executor: EMPTY_TALLY, critic: EMPTY_TALLY },
    context_tokens: 0,
    retries_in_a_row: 0,
    retries_total: 0,
    gpu_ms: 0,
    human_reviews: 0,
  };
}

/** Sets the worst case aside before a call. All dimensions together or none: a refusal changes nothing. */
export function reserve(budget: Budget, wanted: Need, role?: BudgetRole): Reservation {
  const need = payable(budget.caps, wanted);
  const refusal = refuse(budget, need, role);
  if (refusal !== null) return refusal;
  const setAside = ({ used, reserved }: Tally): Tally => ({ used, reserved: add(reserved, need) });
  return { ok: true, budget: book(budget, role, setAside) };
}

/** Spends without a reservation in between, for what is known exactly the moment it happens. */
export function charge(budget: Budget, wanted: Need, role?: BudgetRole): Reservation {
  const need = payable(budget.caps, wanted);
  const refusal = refuse(budget, need, role);
  if (refusal !== null) return refusal;
  const spend = ({ used, reserved }: Tally): Tally => ({ used: add(used, need), reserved });
  return { ok: true, budget: book(budget, role, spend) };
}

/** A settled call, and the dimension in which it pushed the run, or the role that acted, above its cap, if it did. */
export interface Settlement {
  readonly budget: Budget;
  readonly overrun: BudgetDimension | null;
}

/**
 * Replaces a reservation by what the call really took. A provider that took more than it was allowed is charged in
 * full, since the money is gone; where that breaks a cap, the overrun is named and the run has to stop.
 */
export function settle(budget: Budget, reserved: Need, actual: Need, role?: BudgetRole): Settlement {
  const kept = payable(budget.caps, reserved);
  const spent = payable(budget.caps, actual);
  assertAmounts(spent);
  const pay = (tally: Tally): Tally => ({ used: add(tally.used, spent), reserved: unreserve(tally.reserved, kept) });
  const settled = book(budget, role, pay);
  const allotment = role === undefined ? undefined : settled.caps.roles?.[role];
  const byRole = role === undefined || allotment === undefined ? null : overdrawn(allotment, settled.roles[role]);
  return { budget: settled, overrun: overdrawn(settled.caps, settled) ?? byRole };
}

/** Gives back what was set aside for a call that was never made. */
export function release(budget: Budget, reserved: Need, role?: BudgetRole): Budget {
  const kept = payable(budget.caps, reserved);
  return book(budget, role, (tally) => ({ used: tally.used, reserved: unreserve(tally.reserved, kept) }));
}

/** Without a cap of its own, what tools spend is paid from the inference cost: no money is outside every cap. */
function payable(caps: BudgetCaps, need: Need): Need {
  const spend = need.tool_spend_microusd;
  if (spend === undefined || spend === 0 || caps.tool_spend_usd_max !== undefined || !isAmount(spend)) return need;
  return { ...need, tool_spend_microusd: 0, cost_microusd: (need.cost_microusd ?? 0) + spend };
}

function refuse(budget: Budget, need: Need, role: BudgetRole | undefined): BudgetRefusal | null {
  if (!fits(budget.caps, budget, need)) return shortfall(budget.caps, budget, need);
  const allotment = role === undefined ? undefined : budget.caps.roles?.[role];
  if (role === undefined || allotment === undefined || fits(allotment, budget.roles[role], need)) return null;
  return { ...shortfall(allotment, budget.roles[role], need), role };
}

function shortfall(caps: Allotment, tally: Tally, need: Need): BudgetRefusal {
  assertAmounts(need);
  for (const row of COUNTER_ROWS) {
    const needed = need[row.counter] ?? 0;
    const rest = left(caps, tally, row);
    if (needed === 0 || needed <= rest) continue;
    const amounts = { needed: needed / row.scale, left: rest / row.scale };
    return { ok: false, code: 'budget_exhausted', dimension: row.dimension, ...amounts };
  }
  throw new Fault('internal', 'a need was refused although every dimension has room for it');
}

function overdrawn(caps: Allotment, tally: Tally): BudgetDimension | null {
  if (within(caps, tally)) return null;
  return COUNTER_ROWS.find((row) => left(caps, tally, row) < 0)?.dimension ?? null;
}

/** Writes to the run's account and, where a role acts, to the role's: what a role spends, the run spends. */
function book(budget: Budget, role: BudgetRole | undefined, entry: (tally: Tally) => Tally): Budget {
  const { used, reserved } = entry(budget);
  if (role === undefined) return { ...budget, used, reserved };
  const { planner, executor, critic } = budget.roles;
  const roles = {
    planner: role === 'planner' ? entry(planner) : planner,
    executor: role === 'executor' ? entry(executor) : executor,
    critic: role === 'critic' ? entry(critic) : critic,
  };
  return { ...budget, used, reserved, roles };
}
