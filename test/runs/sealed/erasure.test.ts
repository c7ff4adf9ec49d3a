/** Only an operator of a tenant can erase the values sealed for it. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteVault } from '../../../src/adapters/sqlite/vault/sqlite-vault.ts';
import type { Authenticator } from '../../../src/ports/approvers.ts';
import { freshFile } from '../../journal/sqlite-store.ts';
import { rig } from '../rig.ts';
import { masterKeyFile } from './master-key-file.ts';

/** The token names the operator's tenant. */
const authenticator: Authenticator = {
  identify: async (credential) =>
    credential.kind === 'operator_token' ? { name: 'olga', tenantId: credential.token, roles: ['operator'] } : null,
};

test('an operator of another tenant erases nothing', async () => {
  const vault = sqliteVault(':memory:', { unprotected: true });
  const { runtime } = rig({ world: { vault, policy: { approvers: { authenticator } } } });
  const handle = await vault.seal('tenant_a', '"x"');
  const as = (token: string) => ({ credential: { kind: 'operator_token', token }, reason: 'asked to' }) as const;
  await expect(runtime.vault.erase('tenant_a', as('tenant_b'))).rejects.toMatchObject({ code: 'permission_denied' });
  expect(await vault.open('tenant_a', handle)).toBe('"x"');
  expect(await runtime.vault.erasures('tenant_a')).toEqual([]);
  await runtime.vault.erase('tenant_a', as('tenant_a'));
  await expect(vault.open('tenant_a', handle)).rejects.toMatchObject({ code: 'sealed_erased' });
  expect(await runtime.vault.erasures('tenant_a')).toMatchObject([{ by: 'olga', reason: 'asked to' }]);
});

test('the reason of an erasure is kept without the values that it erases', async () => {
  const vault = sqliteVault(':memory:', { unprotected: true });
  const erasure = { tenant_id: 'tenant_a', by: 'olga', at: 1 };
  const values = [{ 'ada@example.org': { phone: '+44 20 7946 0958' } }, 'Ada Lovelace', 'unrelated'];
  for (const value of values) await vault.seal('tenant_a', JSON.stringify(value));
  await vault.erase({ ...erasure, reason: 'ADA LOVELACE (ada@example.org, 442079460958) asked to be forgotten' });
  await vault.seal('tenant_a', '"Ada Lovelace"');
  await vault.erase({ ...erasure, reason: 'her phone asked again' });
  expect((await vault.erasures('tenant_a')).map(({ reason }) => reason)).toEqual([
    '[redacted] ([redacted], [redacted]) asked to be forgotten',
    'her phone asked again',
  ]);
});

test('values that cannot be opened are erased, without the words of the reason', async () => {
  const file = freshFile();
  const masterKey = {
    id: 'kms',
    wrap: async (key: Uint8Array) => key,
    unwrap: async () => Promise.reject(new Error()),
  };
  const vault = sqliteVault(file, { masterKey: { ...masterKey, unwrap: async (key) => key } });
  await vault.seal('tenant_a', '"Ada Lovelace"');
  await vault.close();
  const lost = sqliteVault(file, { masterKey });
  onTestFinished(() => lost.close());
  await lost.erase({ tenant_id: 'tenant_a', by: 'olga', at: 1, reason: 'Ada Lovelace asked' });
  expect(await lost.erasures('tenant_a')).toMatchObject([
    { reason: 'withheld: the sealed values could not be opened' },
  ]);
  expect(await lost.tenants()).toMatchObject([{ has_key: false, values: 0 }]);
});

test('reports that there is nothing to erase, and records no erasure', async () => {
  const vault = sqliteVault(':memory:', { unprotected: true });
  const { runtime } = rig({ world: { vault, policy: { approvers: { authenticator } } } });
  const erase = async (tenant: string) =>
    await runtime.vault.erase(tenant, { credential: { kind: 'operator_token', token: tenant }, reason: 'asked to' });
  await vault.seal('tenant_a', '"x"');
  await expect(erase('tenant_ab')).rejects.toMatchObject({
    code: 'sealed_unknown',
    message: 'nothing was ever sealed for tenant_ab: there is nothing to erase',
  });
  expect(await runtime.vault.erasures('tenant_ab')).toEqual([]);
  await erase('tenant_a');
  await expect(erase('tenant_a')).rejects.toMatchObject({ code: 'sealed_erased' });
  expect(await runtime.vault.erasures('tenant_a')).toHaveLength(1);
  const handle = await vault.seal('tenant_a', '"y"');
  await erase('tenant_a');
  await expect(vault.open('tenant_a', handle)).rejects.toMatchObject({ code: 'sealed_erased' });
});

test('an erased key is gone from disk, and a reader that prevents this is reported', async () => {
  const file = freshFile();
  const vault = sqliteVault(file, { masterKey: { file: masterKeyFile() } });
  const reader = new DatabaseSync(file);
  onTestFinished(async () => {
    reader.close();
    await vault.close();
  });
  const { runtime } = rig({ world: { vault, policy: { approvers: { authenticator } } } });
  const erase = async () =>
    await runtime.vault.erase('tenant_a', {
      credential: { kind: 'operator_token', token: 'tenant_a' },
      reason: 'asked to',
    });
  await vault.seal('tenant_a', '"x"');
  const key = Buffer.from(reader.prepare('select sealing from keys').get()?.['sealing'] as Uint8Array);
  const liesIn = (): readonly string[] => [file, `${file}-wal`].filter((one) => readFileSync(one).includes(key));
  expect(liesIn()).not.toEqual([]);
  reader.exec('begin; select count(*) from keys');
  await expect(erase()).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('erase it again when it has finished'),
  });
  expect(liesIn()).not.toEqual([]);
  reader.exec('commit');
  await expect(erase()).rejects.toMatchObject({ code: 'sealed_erased' });
  expect(liesIn()).toEqual([]);
});

test('lists the tenants with sealed values and the number of values', async () => {
  const vault = sqliteVault(':memory:', { unprotected: true });
  const { runtime } = rig({ world: { vault, policy: { approvers: { authenticator } } } });
  expect(await runtime.vault.tenants()).toEqual([]);
  for (const text of ['"x"', '"y"', '"x"']) await vault.seal('tenant_b', text);
  await vault.seal('tenant_a', '"x"');
  const kept = { tenant_id: 'tenant_b', has_key: true, values: 2, erased_at: null };
  expect(await runtime.vault.tenants()).toEqual([{ ...kept, tenant_id: 'tenant_a', values: 1 }, kept]);
  await runtime.vault.erase('tenant_a', {
    credential: { kind: 'operator_token', token: 'tenant_a' },
    reason: 'asked to',
  });
  const erased_at = (await runtime.vault.erasures('tenant_a'))[0]?.at;
  expect(await runtime.vault.tenants()).toEqual([
    { tenant_id: 'tenant_a', has_key: false, values: 0, erased_at },
    kept,
  ]);
  await expect(rig({}).runtime.vault.tenants()).rejects.toMatchObject({ code: 'input_missing' });
});
