import { runBudget } from '../../intake/init-run.ts';
import type { PartialCaps } from '../../model/budget/budget.ts';
import { BUDGET_PRESETS, capOption, resolveCaps } from '../../model/budget/budget-profile.ts';
import { type BudgetDimension, CAPPED_DIMENSIONS, DIMENSIONS } from '../../model/budget/dimensions.ts';
import {
  derivedLine,
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  namedLine,
  optionLine,
  statedLine,
} from './explanation.ts';

/** Each cap of a run, with the table, the option or the ceiling that it comes from. */
export function explainBudget(facts: ExplainFacts): ExplainedSection {
  const { agent, tenantQuota } = facts.assembled.pins;
  const caps = runBudget(agent, tenantQuota).caps;
  const { replan_rationale: rationale, roles } = caps;
  const lines = CAPPED_DIMENSIONS.map((dimension) => capLine(facts, dimension, caps[`${dimension}_max`]));
  return {
    title: 'Budget of a run',
    lines: [
      profileLine(facts),
      ...lines,
      ...(rationale === undefined ? [] : [statedLine('reason for more plans', rationale, 'budget.replanRationale')]),
      ...(roles === undefined ? [] : [statedLine('shares of roles', JSON.stringify(roles), 'budget.roles')]),
    ],
  };
}

const isPublished = (profile: string): boolean => BUDGET_PRESETS.some((preset) => preset === profile);

/** Whether the author named the budget: `budget: 'standard'`, or `profile` among caps. */
const isNamed = ({ isStated, options }: ExplainFacts): boolean =>
  isStated('budget.profile') ||
  (isStated('budget') && options.stated?.some((path) => path.startsWith('budget.')) !== true);

function profileLine(facts: ExplainFacts): ExplainedLine {
  const { profile } = facts.assembled.pins.agent.budget;
  if (!isPublished(profile)) {
    return derivedLine('table of caps', 'none', `${profile} has no published caps, so the agent states each one`);
  }
  return optionLine(isNamed(facts), {
    name: 'table of caps',
    value: `'${profile}'`,
    option: 'budget.profile',
    why: 'the risk profile in `boundary` has published caps',
  });
}

function capLine(facts: ExplainFacts, dimension: BudgetDimension, most: number | undefined): ExplainedLine {
  const { agent, tenantQuota } = facts.assembled.pins;
  const { profile, overrides } = agent.budget;
  const cap = `${dimension}_max` as const;
  const name = dimension.replaceAll('_', ' ');
  const value =
    most === undefined ? 'no cap of its own: tools spend from inference cost usd' : formatCap(dimension, most);
  const option = `budget.${capOption(cap)}`;
  const own = resolveCaps(profile, overrides).caps[cap];
  if (most !== own) {
    const ceilings: Readonly<Record<string, PartialCaps>> = {
      'world.policy.quota': tenantQuota,
      'boundary.resource_budgets': agent.boundary.resource_budgets,
    };
    const [lowest = ''] = Object.entries(ceilings).flatMap(([of, ceiling]) => (ceiling[cap] === most ? [of] : []));
    return namedLine(name, value, `lowered by \`${lowest}\``, lowest);
  }
  if (overrides[cap] !== undefined) return statedLine(name, value, option);
  if (isPublished(profile)) {
    const why = `the table '${profile}'`;
    return isNamed(facts) ? namedLine(name, value, why, option) : optionLine(false, { name, value, option, why });
  }
  return optionLine(false, { name, value, option, why: 'the published value for every agent without a table' });
}

const formatCap = (dimension: BudgetDimension, most: number): string => {
  const { unit } = DIMENSIONS[dimension];
  return unit === 'seconds' ? `${most} s` : unit === 'usd' ? `${most} USD` : String(most);
};
