import {
  type Allotment,
  BUDGET_ROLES,
  type Budget,
  type BudgetCaps,
  parseCaps,
  REPLANS_WITHOUT_RATIONALE,
} from '../../model/budget/budget.ts';
import { type BudgetDimension, CAPPED_DIMENSIONS, DIMENSIONS } from '../../model/budget/dimensions.ts';
import { Fault } from '../../model/fault/fault.ts';

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
