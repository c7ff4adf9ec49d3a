import type { AgentAccess, AgentSpec } from '../model/agent.ts';
import { APPROVAL_MODES, type ApprovalMode, compareModes } from '../model/approval-mode.ts';
import type { ObservationBounds } from '../model/boundary.ts';
import { Fault } from '../model/fault.ts';
import { deepFreeze } from '../model/freeze.ts';
import { Identity, type SecurityToken } from '../model/identity.ts';
import { parse } from '../model/parse.ts';
import type { ToolRegistry, ToolSpec } from '../model/tool.ts';
import type { Answer } from './answer.ts';

export interface ScopeQuestion {
  /** As the caller's authentication established it; looked at again here, because a run may be resumed by another. */
  readonly identity: unknown;
  readonly tenantId: string;
  readonly agent: AgentSpec;
  readonly tools: ToolRegistry;
  readonly now: number;
  /** Sensitive scopes that the goal has to read, and those of them that a person has opened. */
  readonly wanted?: readonly string[];
  readonly opened?: readonly string[];
}

/** What is left of an identity for one run: its own grants, narrowed by the boundary, and nothing beside them. */
export function resolveScope(question: ScopeQuestion): Answer<'scope_resolved'> {
  const { identity, tenantId, agent, tools, now, wanted = [], opened = [] } = question;
  const known = readIdentity(identity);
  if (known === null) return refused('identity_invalid');
  if (known.tenant_id !== tenantId) return refused('tenant_mismatch');
  if (now >= known.expires_at) return refused('identity_expired');
  const granted = new Set(known.scopes);
  const bounds = agent.boundary.observations;
  if (!wanted.every((scope) => granted.has(scope) && bounds.permission_scopes.includes(scope))) {
    return refused('scope_not_permitted');
  }
  const authority = authorityOf(known, agent);
  const token: SecurityToken = {
    tenant_id: known.tenant_id,
    actor: known.actor,
    roles: known.roles,
    data_scopes: dataScopes(granted, bounds, opened),
    allowed_tools: tools.tools.filter((tool) => mayUse(tool, agent, granted, authority)).map(({ name }) => name),
    approval_authority: authority,
    expires_at: known.expires_at,
  };
  const confirm = wanted.filter((scope) => bounds.confirm_scopes.includes(scope) && !opened.includes(scope));
  const resolved = { type: 'scope_resolved', token: deepFreeze(token), reason: null } as const;
  return confirm.length === 0 ? resolved : { ...resolved, confirm };
}

function refused(reason: string): Answer<'scope_resolved'> {
  return { type: 'scope_resolved', token: null, reason };
}

function readIdentity(value: unknown): Identity | null {
  try {
    return parse(Identity, value, 'permission_denied');
  } catch (error) {
    if (Fault.is(error)) return null;
    throw error;
  }
}

/** A scope that a person has to open first is not open yet, whoever holds it. */
function dataScopes(
  granted: ReadonlySet<string>,
  bounds: ObservationBounds,
  opened: readonly string[],
): readonly string[] {
  const closed = new Set(bounds.confirm_scopes.filter((scope) => !opened.includes(scope)));
  return [...new Set(bounds.permission_scopes)].filter((scope) => granted.has(scope) && !closed.has(scope));
}

/** The strictest mode that some role of the identity reaches and the boundary leaves open. */
function authorityOf({ roles }: Identity, { access, boundary }: AgentSpec): ApprovalMode {
  const reached = roles
    .map((role) => roleAuthority(access, role))
    .reduce((most, mode) => (compareModes(mode, most) > 0 ? mode : most), LEAST_AUTHORITY);
  return compareModes(reached, boundary.tools.mode_max) > 0 ? boundary.tools.mode_max : reached;
}

const [LEAST_AUTHORITY] = APPROVAL_MODES;

function roleAuthority({ role_authority }: AgentAccess, role: string): ApprovalMode {
  return (Object.hasOwn(role_authority, role) ? role_authority[role] : undefined) ?? LEAST_AUTHORITY;
}

function mayUse(
  tool: ToolSpec,
  { access, boundary }: AgentSpec,
  granted: ReadonlySet<string>,
  authority: ApprovalMode,
): boolean {
  const { tool_scopes } = access;
  const needed = (Object.hasOwn(tool_scopes, tool.name) ? tool_scopes[tool.name] : undefined) ?? [tool.name];
  // Whoever may ask an agent for anything may be answered and asked back.
  const held = tool.speaks !== undefined || needed.every((scope) => granted.has(scope));
  return boundary.tools.allowed.includes(tool.name) && compareModes(tool.approval_mode, authority) <= 0 && held;
}
