import { resolveScope } from '../../intake/resolve-scope.ts';
import { expandRequest } from '../../model/run/run-request.ts';
import {
  derivedLine,
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  joinNames,
  optionLine,
  statedLine,
} from './explanation.ts';

/**
 * The tools that a user with these roles may start, as a run would resolve them. The user has every scope of the agent,
 * so only roles and the boundary decide.
 */
export function startableTools({ assembled }: ExplainFacts, roles: readonly string[]): readonly string[] {
  const { agent, registry } = assembled.pins;
  const user = { name: 'explained_user', tenant: 'explained_tenant', roles };
  const { identity, tenant_id: tenantId } = expandRequest(agent, { message: 'explain', user }, 0);
  const resolved = resolveScope({ identity, tenantId, agent, tools: registry, now: 0 });
  return resolved.token?.allowed_tools ?? [];
}

/** What the roles of a user permit. */
export function explainUsers(facts: ExplainFacts): ExplainedSection {
  const { role_authority } = facts.assembled.pins.agent.access;
  const roles = Object.entries(role_authority).map(
    ([role, mode]): ExplainedLine =>
      statedLine(`role ${role}`, `up to ${mode}: ${joinNames(startableTools(facts, [role]))}`, 'settings.roles'),
  );
  const none = optionLine(facts.isStated('settings.roles'), {
    name: 'roles',
    value: 'none',
    option: 'settings.roles',
    why: 'defaults never widen what a user may do',
  });
  const without = derivedLine(
    'without a role',
    joinNames(startableTools(facts, [])),
    'an identity without a listed role only reads',
  );
  return { title: 'Users', lines: [...(roles.length === 0 ? [none] : roles), without] };
}
