import { Fault } from '../model/fault/fault.ts';
import { APPROVAL_MODES, type ApprovalMode, compareModes } from '../model/gate/approval-mode.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { parse } from '../model/json/parse.ts';
import type { ObservationBounds } from '../model/policy/boundary.ts';
import { type AgentAccess, type AgentSpec, scopesOf } from '../model/run/agent.ts';
import { Identity, type SecurityToken } from '../model/run/identity.ts';
import type { ToolRegistry, ToolSpec } from '../model/tool/tool.ts';
import type { IntakeAnswer } from './check-policy.ts';

export interface ScopeQuestion {
  /**
   * As the caller's authentication established it. Validated again here, because another identity may resume the run.
   */
  readonly identity: unknown;
  readonly tenantId: string;
  readonly agent: AgentSpec;
  readonly tools: ToolRegistry;
  readonly now: number;
  /** The sensitive scopes that the goal needs. `opened` are those that a person has confirmed. */
  readonly wanted?: readonly string[];
  readonly opened?: readonly string[];
}

/** Resolves the token of a run: the identity's grants, narrowed by the boundary. */
export function resolveScope(question: ScopeQuestion): IntakeAnswer<'scope_resolved'> {
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

function refused(reason: string): IntakeAnswer<'scope_resolved'> {
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

/** The granted scopes within the boundary, without those that still need confirmation. */
function dataScopes(
  granted: ReadonlySet<string>,
  bounds: ObservationBounds,
  opened: readonly string[],
): readonly string[] {
  const closed = new Set(bounds.confirm_scopes.filter((scope) => !opened.includes(scope)));
  return [...new Set(bounds.permission_scopes)].filter((scope) => granted.has(scope) && !closed.has(scope));
}

/** The highest mode that a role of the identity permits, capped by the boundary. */
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
  // `respond` and `clarify` need no scope: every caller may get an answer or a question.
  const held = tool.speaks !== undefined || scopesOf(access, tool.name).every((scope) => granted.has(scope));
  return boundary.tools.allowed.includes(tool.name) && compareModes(tool.approval_mode, authority) <= 0 && held;
}
