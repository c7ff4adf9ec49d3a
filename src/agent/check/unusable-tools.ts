import { resolveCaps } from '../../model/budget/budget-profile.ts';
import type { Fault } from '../../model/fault/fault.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { collectFaults, wrong } from './values.ts';

/**
 * Rejects a budget without all caps, and tools that it can never pay for: otherwise every run that needs such a tool
 * would end with BUDGET_EXHAUSTED. A tool whose mode no role may start is not rejected, because reading is the default
 * of every user: `explain` shows it, and a denied run names `settings.roles`.
 */
export function unusableToolFaults(agent: AgentSpec, tools: readonly ToolSpec[]): readonly Fault[] {
  const allowed = tools.filter(({ name }) => agent.boundary.tools.allowed.includes(name));
  const budget = collectFaults(() => resolveCaps(agent.budget.profile, agent.budget.overrides));
  return budget.length > 0 ? budget : effectFaults(agent, allowed);
}

/**
 * Rejects tools with side effects if a named budget permits none. A zero that the author states is a deliberate stop,
 * which an operator can lift during a run.
 */
function effectFaults({ budget: { profile, overrides } }: AgentSpec, tools: readonly ToolSpec[]): readonly Fault[] {
  if (overrides.side_effects_max !== undefined || resolveCaps(profile, overrides).caps.side_effects_max > 0) return [];
  return tools
    .filter(({ side_effect }) => side_effect)
    .map(({ name }) => {
      const message = `${name} has a side effect, and the budget ${profile} permits none: set sideEffectsMax of budget (0 if an operator raises it during a run)`;
      return wrong('/agent/budget', message);
    });
}
