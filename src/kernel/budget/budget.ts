import {
  type Allotment,
  BUDGET_ROLES,
  type Budget,
  type BudgetCaps,
  type BudgetRole,
  type Need,
  parseCaps,
  REPLANS_WITHOUT_RATIONALE,
  type Tally,
} from '../../model/budget/budget.ts';
import { type BudgetDimension, CAPPED_DIMENSIONS, COUNTER_ROWS, DIMENSIONS } from '../../model/budget/dimensions.ts';
import { Fault } from '../../model/fault/fault.ts';
import {
  add,
  assertAmounts,
  EMPTY_TALLY,
  fits,
  isAmount,
  isWithinCaps,
  NOTHING,
  remainderOf,
  unreserve,
} from './account.ts';

export type { Need } from '../../model/budget/budget.ts';

/** The refusal of an action. Amounts are in the unit of the dimension, such as dollars for money. */
export interface BudgetRefusal {
  readonly ok: false;
  readonly code: 'budget_exhausted';
  readonly dimension: BudgetDimension;
  readonly needed: number;
  readonly left: number;
  /** Present if the run has enough and only this role's allotment is exhausted. */
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
  };
}

/** Reserves the maximum need before a call, in all dimensions or none: a refusal changes nothing. */
export function reserve(budget: Budget, wanted: Need, role?: BudgetRole): Reservation {
  const need = moveToolSpend(budget.caps, wanted);
  const refusal = findRefusal(budget, need, role);
  if (refusal !== null) return refusal;
  const addReserved = ({ used, reserved }: Tally): Tally => ({ used, reserved: add(reserved, need) });
  return { ok: true, budget: applyEntry(budget, role, addReserved) };
}

/** Spends without a reservation, for amounts that are known exactly when they occur. */
export function charge(budget: Budget, wanted: Need, role?: BudgetRole): Reservation {
  const need = moveToolSpend(budget.caps, wanted);
  const refusal = findRefusal(budget, need, role);
  if (refusal !== null) return refusal;
  const spend = ({ used, reserved }: Tally): Tally => ({ used: add(used, need), reserved });
  return { ok: true, budget: applyEntry(budget, role, spend) };
}

/** The budget after a call, and the first dimension whose cap (of the run or the role) the call exceeded. */
export interface Settlement {
  readonly budget: Budget;
  readonly overrun: BudgetDimension | null;
}

/**
 * Replaces a reservation by the actual use. A provider that used more than was reserved is charged in full, since the
 * money is gone; if that exceeds a cap, the overrun names it and the run has to stop.
 */
export function settle(budget: Budget, reserved: Need, actual: Need, role?: BudgetRole): Settlement {
  const kept = moveToolSpend(budget.caps, reserved);
  const spent = moveToolSpend(budget.caps, actual);
  assertAmounts(spent);
  const pay = (tally: Tally): Tally => ({ used: add(tally.used, spent), reserved: unreserve(tally.reserved, kept) });
  const settled = applyEntry(budget, role, pay);
  const allotment = role === undefined ? undefined : settled.caps.roles?.[role];
  const byRole = role === undefined || allotment === undefined ? null : findOverrun(allotment, settled.roles[role]);
  return { budget: settled, overrun: findOverrun(settled.caps, settled) ?? byRole };
}

/** Releases the reservation of a call that was never made. */
export function releaseReservation(budget: Budget, reserved: Need, role?: BudgetRole): Budget {
  const kept = moveToolSpend(budget.caps, reserved);
  return applyEntry(budget, role, (tally) => ({ used: tally.used, reserved: unreserve(tally.reserved, kept) }));
}

/** Moves tool spend to the inference cost if it has no cap of its own, so that all money is capped. */
function moveToolSpend(caps: BudgetCaps, need: Need): Need {
  const spend = need.tool_spend_microusd;
  if (spend === undefined || spend === 0 || caps.tool_spend_usd_max !== undefined || !isAmount(spend)) return need;
  return { ...need, tool_spend_microusd: 0, cost_microusd: (need.cost_microusd ?? 0) + spend };
}

function findRefusal(budget: Budget, need: Need, role: BudgetRole | undefined): BudgetRefusal | null {
  if (!fits(budget.caps, budget, need)) return shortfall(budget.caps, budget, need);
  const allotment = role === undefined ? undefined : budget.caps.roles?.[role];
  if (role === undefined || allotment === undefined || fits(allotment, budget.roles[role], need)) return null;
  return { ...shortfall(allotment, budget.roles[role], need), role };
}

function shortfall(caps: Allotment, tally: Tally, need: Need): BudgetRefusal {
  assertAmounts(need);
  for (const row of COUNTER_ROWS) {
    const needed = need[row.counter] ?? 0;
    const rest = remainderOf(caps, tally, row);
    if (needed === 0 || needed <= rest) continue;
    const amounts = { needed: needed / row.scale, left: rest / row.scale };
    return { ok: false, code: 'budget_exhausted', dimension: row.dimension, ...amounts };
  }
  throw new Fault('internal', 'a need was refused although every dimension has room for it');
}

function findOverrun(caps: Allotment, tally: Tally): BudgetDimension | null {
  if (isWithinCaps(caps, tally)) return null;
  return COUNTER_ROWS.find((row) => remainderOf(caps, tally, row) < 0)?.dimension ?? null;
}

/** Applies an entry to the run's account and, if a role acts, also to the role's. */
function applyEntry(budget: Budget, role: BudgetRole | undefined, entry: (tally: Tally) => Tally): Budget {
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

/** The approver of an extension and the reason. It comes only from a person's recorded decision. */
export interface BudgetApproval {
  readonly by: string;
  readonly reason: string;
}

/**
 * Raises caps, each in the unit of its dimension. It is the only function that does so, and no event of a model leads
 * to it. Used and reserved amounts stay, so the run gets exactly the granted amount.
 */
export function extend(budget: Budget, delta: Readonly<Record<string, number>>, approval: BudgetApproval): Budget {
  if (approval.by.trim() === '') throw new Fault('approver_missing', 'an extension must name who granted it');
  if (approval.reason.trim() === '') {
    throw new Fault('budget_invalid', 'an extension must say why it was granted', { path: '/reason' });
  }
  const dimensions = Object.keys(delta).map(dimensionOf);
  if (dimensions.length === 0) throw new Fault('budget_invalid', 'an extension must raise at least one dimension');
  const raised = dimensions.reduce((caps, dimension) => raise(caps, dimension, delta[dimension] ?? 0), budget.caps);
  const explained =
    raised.replan_attempts_max > REPLANS_WITHOUT_RATIONALE && raised.replan_rationale === undefined
      ? { ...raised, replan_rationale: approval.reason }
      : raised;
  return { ...budget, caps: parseCaps(explained) };
}

function dimensionOf(name: string): BudgetDimension {
  const dimension = CAPPED_DIMENSIONS.find((known) => known === name);
  if (dimension !== undefined) return dimension;
  const message = `${JSON.stringify(name)} is not a dimension of the budget: those are ${CAPPED_DIMENSIONS.join(', ')}`;
  throw new Fault('budget_invalid', message, { path: `/${name}` });
}

/** Raises the cap of the run and of every role that has one, so that it reaches the exhausted role. */
function raise(caps: BudgetCaps, dimension: BudgetDimension, by: number): BudgetCaps {
  if (!(by > 0)) {
    throw new Fault('budget_invalid', `${dimension}: an extension by ${by} raises nothing`, { path: `/${dimension}` });
  }
  if (caps[`${dimension}_max`] === undefined) {
    throw new Fault('budget_invalid', `${dimension}: there is no cap to extend`, { path: `/${dimension}` });
  }
  const raised = { ...caps, ...raiseOne(caps, dimension, by) };
  if (caps.roles === undefined) return raised;
  const roles: Record<string, Allotment> = {};
  for (const role of BUDGET_ROLES) {
    const allotment = caps.roles[role];
    if (allotment !== undefined) roles[role] = { ...allotment, ...raiseOne(allotment, dimension, by) };
  }
  return { ...raised, roles };
}

/** Adds dollars as whole microdollars, so that ten extensions by ten cents are exactly one dollar. */
function raiseOne(caps: Partial<BudgetCaps>, dimension: BudgetDimension, by: number): Partial<BudgetCaps> {
  const cap = caps[`${dimension}_max`];
  if (cap === undefined) return {};
  const { unit, scale: amounts } = DIMENSIONS[dimension];
  const scale = unit === 'usd' ? amounts : 1;
  return { [`${dimension}_max`]: scale === 1 ? cap + by : Math.round((cap + by) * scale) / scale };
}
