import { expect, test } from 'vitest';
import type { SecurityToken } from '../../../model/run/identity.ts';
import { principalOf } from './policy.ts';

const TOKEN: SecurityToken = {
  actor: 'ann',
  tenant_id: 'acme',
  roles: ['member', 'lead'],
  expires_at: 1,
} as unknown as SecurityToken;
const other = (changes: Partial<SecurityToken>): SecurityToken => ({ ...TOKEN, ...changes });

test('runs of the same identity share one principal', () => {
  expect(principalOf('helper', other({ expires_at: 2 }))).toBe(principalOf('helper', TOKEN));
  expect(principalOf('helper', TOKEN)).toEqual({
    agent: 'helper',
    user: 'ann',
    roles: ['member', 'lead'],
    tenant: 'acme',
  });
});

test.each<[string, Partial<SecurityToken>]>([
  ['another user', { actor: 'bob' }],
  ['another tenant', { tenant_id: 'other' }],
  ['a role less', { roles: ['member'] }],
  ['a role that reads like two', { roles: ['member","lead'] }],
  ['roles in another order', { roles: ['lead', 'member'] }],
])('%s makes a different principal', (_what, changes) => {
  const token = other(changes);
  const { actor: user, tenant_id: tenant, roles } = token;
  principalOf('helper', TOKEN);
  expect(principalOf('helper', token)).toEqual({ agent: 'helper', user, tenant, roles });
});

test('another agent with the same token makes a different principal', () => {
  expect(principalOf('helper', TOKEN).agent).toBe('helper');
  expect(principalOf('drafter', TOKEN).agent).toBe('drafter');
});

test('a principal cannot be changed, not even through the token it was made from', () => {
  const roles = ['member'];
  const principal = principalOf('helper', other({ actor: 'eve', roles }));
  roles.push('admin');
  expect(principal.roles).toEqual(['member']);
  expect([Object.isFrozen(principal), Object.isFrozen(principal.roles)]).toEqual([true, true]);
});

test('keeps many principals apart', () => {
  for (let at = 0; at < 2_000; at += 1) {
    expect(principalOf('helper', other({ actor: `u${at}` })).user).toBe(`u${at}`);
  }
});

test('limits the number and the length of shared principals', () => {
  const first = principalOf('helper', other({ actor: 'first' }));
  expect(principalOf('helper', other({ actor: 'first' }))).toBe(first);
  for (let at = 0; at < 500; at += 1) principalOf('helper', other({ actor: `o${at}` }));
  expect(principalOf('helper', other({ actor: 'first' }))).not.toBe(first);
  const long = { actor: 'l'.repeat(1_001) };
  expect(principalOf('helper', other(long))).not.toBe(principalOf('helper', other(long)));
  expect(principalOf('helper', other(long))).toEqual(principalOf('helper', other(long)));
});
