/** A token holds the identity's grants, narrowed by the boundary, and nothing else. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { agent, agentWith, identity, NOW, tools } from '../../test/intake/cases.ts';
import { APPROVAL_MODES, compareModes } from '../model/gate/approval-mode.ts';
import type { SecurityToken } from '../model/run/identity.ts';
import { resolveScope, type ScopeQuestion } from './resolve-scope.ts';

const question: ScopeQuestion = { identity, tenantId: identity.tenant_id, agent, tools, now: NOW };
const tokenFor = (parts: Partial<ScopeQuestion>): SecurityToken => {
  const { token } = resolveScope({ ...question, ...parts });
  if (token === null) throw new Error('no token');
  return token;
};
const boundaryWith = (part: object) => agentWith({ boundary: { ...agent.boundary, ...part } });

test('a token contains the actor, the scopes, the tools and the expiry', () => {
  expect(resolveScope(question)).toEqual({
    type: 'scope_resolved',
    reason: null,
    token: {
      tenant_id: 'tenant_acme_prod',
      actor: 'user_support_7',
      roles: ['support_agent'],
      data_scopes: ['orders.read', 'policy.read'],
      allowed_tools: ['adp_orders.lookup', 'adp_policy.eval', 'adp_payments.issue_refund'],
      approval_authority: 'destructive',
      expires_at: identity.expires_at,
    },
  });
});

describe('issues no token', () => {
  test.each([
    ['from the moment the identity expires', { now: identity.expires_at }, 'identity_expired'],
    ['for the identity of another tenant', { tenantId: 'tenant_b' }, 'tenant_mismatch'],
    ['without an identity', { identity: undefined }, 'identity_invalid'],
    ['for an identity without scopes', { identity: { ...identity, scopes: undefined } }, 'identity_invalid'],
    ['for an identity with an unknown field', { identity: { ...identity, admin: true } }, 'identity_invalid'],
    ['for an identity that never expires', { identity: { ...identity, expires_at: Infinity } }, 'identity_invalid'],
  ])('%s', (_, parts, reason) => {
    expect(resolveScope({ ...question, ...parts })).toEqual({ type: 'scope_resolved', token: null, reason });
  });

  test('but one a millisecond before the identity expires', () => {
    expect(tokenFor({ now: identity.expires_at - 1 }).expires_at).toBe(identity.expires_at);
  });
});

describe('data scopes', () => {
  test('outside the boundary are dropped even if granted', () => {
    const rich = { ...identity, scopes: [...identity.scopes, 'salaries.read'] };
    expect(tokenFor({ identity: rich }).data_scopes).toEqual(['orders.read', 'policy.read']);
  });

  test('that need confirmation stay closed', () => {
    const observations = { ...agent.boundary.observations, confirm_scopes: ['policy.read'] };
    expect(tokenFor({ agent: boundaryWith({ observations }) }).data_scopes).toEqual(['orders.read']);
  });
});

describe('a tool', () => {
  test('needs every scope that is declared for it', () => {
    const clerk = { ...identity, scopes: ['payments.refund', 'policy.read'] };
    expect(tokenFor({ identity: clerk }).allowed_tools).toEqual(['adp_policy.eval']);
  });

  test('without declared scopes needs the scope of its own name', () => {
    const open = agentWith({ access: { ...agent.access, tool_scopes: {} } });
    expect(tokenFor({ agent: open }).allowed_tools).toEqual([]);
    const named = { ...identity, scopes: ['adp_orders.lookup'] };
    expect(tokenFor({ agent: open, identity: named }).allowed_tools).toEqual(['adp_orders.lookup']);
  });

  test('outside the boundary is not allowed even if its scope is granted', () => {
    const closer = { ...identity, scopes: [...identity.scopes, 'adp_accounts.close'] };
    expect(tokenFor({ identity: closer }).allowed_tools).not.toContain('adp_accounts.close');
  });

  test('beyond the authority of the roles is not allowed', () => {
    const trainee = tokenFor({ identity: { ...identity, roles: ['support_trainee'] } });
    expect(trainee.allowed_tools).toEqual(['adp_orders.lookup', 'adp_policy.eval']);
    expect(trainee.approval_authority).toBe('local_write');
  });
});

describe('authority', () => {
  test('is that of the strongest role', () => {
    const both = { ...identity, roles: ['support_trainee', 'support_agent', 'visitor'] };
    expect(tokenFor({ identity: both }).approval_authority).toBe('destructive');
  });

  test('is read_only without a known role', () => {
    for (const roles of [[], ['visitor'], ['toString']]) {
      expect(tokenFor({ identity: { ...identity, roles } }).approval_authority).toBe('read_only');
    }
  });

  test('never exceeds the boundary', () => {
    const bounded = boundaryWith({ tools: { ...agent.boundary.tools, mode_max: 'network' } });
    const token = tokenFor({ agent: bounded });
    expect(token.approval_authority).toBe('network');
    expect(token.allowed_tools).not.toContain('adp_payments.issue_refund');
  });
});

test('a token is frozen', () => {
  expect(() => (tokenFor({}).allowed_tools as string[]).push('adp_accounts.close')).toThrow(TypeError);
});

const SCOPES = ['orders.read', 'policy.read', 'payments.refund', 'customers.private', 'adp_accounts.close'] as const;
const ROLES = ['support_agent', 'support_trainee', 'visitor'] as const;

test.prop([
  fc.subarray([...SCOPES]),
  fc.subarray([...ROLES]),
  fc.constantFrom(...APPROVAL_MODES),
  fc.subarray([...SCOPES]),
  fc.subarray(tools.tools.map(({ name }) => name)),
])('a token never exceeds the grants or the boundary', (scopes, roles, mode_max, shown, allowed) => {
  const bounded = boundaryWith({
    observations: { ...agent.boundary.observations, permission_scopes: shown },
    tools: { ...agent.boundary.tools, allowed, mode_max },
  });
  const token = tokenFor({ agent: bounded, identity: { ...identity, scopes, roles } });
  for (const scope of token.data_scopes) {
    expect(scopes).toContain(scope);
    expect(shown).toContain(scope);
  }
  for (const name of token.allowed_tools) {
    const spec = tools.tools.find((tool) => tool.name === name);
    expect(allowed).toContain(name);
    expect(compareModes(spec?.approval_mode ?? 'destructive', token.approval_authority)).toBeLessThanOrEqual(0);
    for (const needed of agent.access.tool_scopes[name] ?? [name]) expect(scopes).toContain(needed);
  }
  expect(compareModes(token.approval_authority, mode_max)).toBeLessThanOrEqual(0);
});
