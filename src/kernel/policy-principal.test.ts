/** Who acts is one for all that policies can tell, and never somebody else. */
import { expect, test } from 'vitest';
import type { SecurityToken } from '../model/identity.ts';
import { principalOf } from './policy-principal.ts';

const TOKEN: SecurityToken = {
  actor: 'ann',
  tenant_id: 'acme',
  roles: ['member', 'lead'],
  expires_at: 1,
} as unknown as SecurityToken;
const other = (changes: Partial<SecurityToken>): SecurityToken => ({ ...TOKEN, ...changes });

test('another run of the same identity has the same principal', () => {
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
])('%s is somebody else', (_what, changes) => {
  const token = other(changes);
  const { actor: user, tenant_id: tenant, roles } = token;
  principalOf('helper', TOKEN);
  expect(principalOf('helper', token)).toEqual({ agent: 'helper', user, tenant, roles });
});

test('another agent with the same token is somebody else', () => {
  expect(principalOf('helper', TOKEN).agent).toBe('helper');
  expect(principalOf('drafter', TOKEN).agent).toBe('drafter');
});

test('nobody can change who acts, not even whoever holds the token', () => {
  const roles = ['member'];
  const principal = principalOf('helper', other({ actor: 'eve', roles }));
  roles.push('admin');
  expect(principal.roles).toEqual(['member']);
  expect([Object.isFrozen(principal), Object.isFrozen(principal.roles)]).toEqual([true, true]);
});

test('however many there are, each is itself', () => {
  for (let at = 0; at < 2_000; at += 1) {
    expect(principalOf('helper', other({ actor: `u${at}` })).user).toBe(`u${at}`);
  }
});

test('no more are kept to be shared than so many, and none that is long', () => {
  const first = principalOf('helper', other({ actor: 'first' }));
  expect(principalOf('helper', other({ actor: 'first' }))).toBe(first);
  for (let at = 0; at < 500; at += 1) principalOf('helper', other({ actor: `o${at}` }));
  expect(principalOf('helper', other({ actor: 'first' }))).not.toBe(first);
  const long = { actor: 'l'.repeat(1_001) };
  expect(principalOf('helper', other(long))).not.toBe(principalOf('helper', other(long)));
  expect(principalOf('helper', other(long))).toEqual(principalOf('helper', other(long)));
});
