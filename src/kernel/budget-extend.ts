import {
  type Allotment,
  BUDGET_DIMENSIONS,
  BUDGET_ROLES,
  type Budget,
  type BudgetCaps,
  type BudgetDimension,
  MICROUSD_PER_USD,
  parseCaps,
  REPLANS_WITHOUT_RATIONALE,
} from '../model/budget.ts';
import { Fault } from '../model/fault.ts';

/** Who allowed the run to spend more, and why. Nothing but a recorded decision of a person makes one. */
export interface BudgetApproval {
  readonly by: string;
  readonly reason: string;
}

const EXTENDABLE: readonly BudgetDimension[] = [...BUDGET_DIMENSIONS, 'tool_spend_usd'];

/**
 * Raises caps, in the unit of each dimension. The only way up: there is no event by which a model reaches it. What
 * is used and reserved stays as it is, so the run goes on with exactly as much more as was granted.
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
  const dimension = EXTENDABLE.find((known) => known === name);
  if (dimension !== undefined) return dimension;
  const message = `${JSON.stringify(name)} is not a dimension of the budget: those are ${EXTENDABLE.join(', ')}`;
  throw new Fault('budget_invalid', message, { path: `/${name}` });
}

/** A role's own cap grows with the run's, or the extension would not reach the role that ran out. */
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

/** Dollars are added as whole millionths, so that ten extensions by ten cents are exactly one dollar. */
function raiseOne(caps: Partial<BudgetCaps>, dimension: BudgetDimension, by: number): Partial<BudgetCaps> {
  const cap = caps[`${dimension}_max`];
  if (cap === undefined) return {};
  const scale = dimension.endsWith('_usd') ? MICROUSD_PER_USD : 1;
  return { [`${dimension}_max`]: scale === 1 ? cap + by : Math.round((cap + by) * scale) / scale };
}
