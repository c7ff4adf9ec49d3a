/** Proves what of a compiled context a run may be shown, and what of that a decision may rest on. */
import { describe, expect, test } from 'vitest';
import { agent, context, NOW } from '../../test/intake/cases.ts';
import type { CompiledContext, ContextItem } from './context.ts';
import { deepFreeze } from './freeze.ts';
import type { SecurityToken } from './identity.ts';
import { evidenceOf, type Viewer, visibleItems } from './visible-context.ts';

const token: SecurityToken = {
  tenant_id: 'tenant_acme_prod',
  actor: 'user_support_7',
  roles: [],
  data_scopes: ['policy.read'],
  allowed_tools: [],
  approval_authority: 'read_only',
  expires_at: NOW + 1,
};
const viewer: Viewer = { token, boundary: agent.boundary, now: NOW };

const item = (key: string, parts: Partial<ContextItem> = {}): ContextItem => {
  const [first] = context.items;
  if (first === undefined) throw new Error('the context holds no item');
  return { ...first, key, ...parts };
};
const holding = (...items: readonly ContextItem[]): CompiledContext => deepFreeze({ ...context, items });
const keysOf = (items: readonly ContextItem[]): readonly string[] => items.map(({ key }) => key);

describe('is not shown', () => {
  test.each([
    ['what the token does not reach', { permission_scope: 'orders.read' }],
    ['what has gone stale', { fresh_until: NOW }],
    ['what a source without standing says', { authority: agent.boundary.observations.authority_min - 1 }],
    ['personal data, where it is withheld', { personal_data: true }],
  ])('%s', (_, parts) => {
    expect(keysOf(visibleItems(holding(item('good'), item('bad', parts)), viewer))).toEqual(['good']);
  });

  test('but personal data is, where the boundary allows it', () => {
    const observations = { ...agent.boundary.observations, personal_data: 'allowed' as const };
    const open = { ...viewer, boundary: { ...agent.boundary, observations } };
    expect(keysOf(visibleItems(holding(item('name', { personal_data: true })), open))).toEqual(['name']);
  });
});

describe('evidence', () => {
  test('is the newest item of each type, whatever the order', () => {
    const old = item('old', { observed_at: 1 });
    const fresh = item('fresh', { observed_at: 2 });
    const order = item('order', { type: 'order' });
    expect(evidenceOf(holding(old, fresh, order), viewer)).toEqual({ policy: 'fresh', order: 'order' });
    expect(evidenceOf(holding(fresh, old), viewer)).toEqual({ policy: 'fresh' });
  });

  test('does not come from a source that is not trusted, or from what is not shown', () => {
    const rumour = item('rumour', { trusted: false, observed_at: NOW });
    const secret = item('secret', { permission_scope: 'salaries.read', observed_at: NOW });
    expect(keysOf(visibleItems(holding(rumour), viewer))).toEqual(['rumour']);
    expect(evidenceOf(holding(rumour, secret), viewer)).toEqual({});
  });
});
