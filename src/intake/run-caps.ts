import { BUDGET_ROLES, type BudgetCaps, PartialCaps, parseBudget } from '../model/budget/budget.ts';
import { resolveCaps } from '../model/budget/budget-profile.ts';
import type { AgentSpec } from '../model/run/agent.ts';

/** The agent's budget caps, limited by the tenant quota and the boundary. Throws if a dimension is missing. */
export function runCaps({ budget, boundary }: AgentSpec, tenantQuota: PartialCaps): BudgetCaps {
  const ceiling = lowerCaps(parseBudget(PartialCaps, tenantQuota), boundary.resource_budgets);
  const roles = lowerRoles(budget.overrides.roles, ceiling.roles);
  const stated = roles === undefined ? budget.overrides : { ...budget.overrides, roles };
  return resolveCaps(budget.profile, stated, ceiling).caps;
}

/** The lower of two caps in each dimension; a limit in only one of them is kept. */
export function lowerCaps(a: PartialCaps, b: PartialCaps): PartialCaps {
  const roles = lowerRoles(a.roles, b.roles);
  return { ...lower(a, b), ...(roles === undefined ? {} : { roles }) };
}

function lowerRoles(a: PartialCaps['roles'], b: PartialCaps['roles']): PartialCaps['roles'] {
  if (a === undefined || b === undefined) return a ?? b;
  const stated = BUDGET_ROLES.filter((role) => a[role] !== undefined || b[role] !== undefined);
  return Object.fromEntries(stated.map((role) => [role, lower(a[role] ?? {}, b[role] ?? {})]));
}

function lower(a: PartialCaps, b: PartialCaps): PartialCaps {
  const merged = new Map<string, unknown>(Object.entries(a));
  for (const [cap, most] of Object.entries(b)) {
    const own = merged.get(cap);
    merged.set(cap, typeof own === 'number' && typeof most === 'number' ? Math.min(own, most) : (own ?? most));
  }
  return Object.fromEntries(merged);
}
