import { resolveCaps } from '../../model/budget/budget-profile.ts';
import type { Fault } from '../../model/fault/fault.ts';
import { compareModes } from '../../model/gate/approval-mode.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { collectFaults, wrong } from './values.ts';

/**
 * Rejects a budget without all caps, and tools that no run of the agent could ever call: otherwise every run that needs
 * such a tool would end with BUDGET_EXHAUSTED or PERMISSION_DENIED.
 */
export function unusableToolFaults(agent: AgentSpec, tools: readonly ToolSpec[]): readonly Fault[] {
  const allowed = tools.filter(({ name }) => agent.boundary.tools.allowed.includes(name));
  const budget = collectFaults(() => resolveCaps(agent.budget.profile, agent.budget.overrides));
  return [...budget, ...(budget.length > 0 ? [] : effectFaults(agent, allowed)), ...authorityFaults(agent, allowed)];
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

/** Rejects tools whose mode no role may start. Without a listed role a user may only read. */
function authorityFaults({ access }: AgentSpec, tools: readonly ToolSpec[]): readonly Fault[] {
  const authorities = Object.values(access.role_authority);
  return tools
    .filter(
      ({ approval_mode: mode }) => mode !== 'read_only' && authorities.every((most) => compareModes(mode, most) > 0),
    )
    .map(({ name, approval_mode: mode }) => {
      const message = `no role may start ${name}, whose mode is ${mode}: set settings.roles, such as { clerk: '${mode}' }`;
      return wrong(`/agent/settings/roles`, message);
    });
}
