/**
 * Proves that another person enrols a key, that its id is never reused, that rotation leaves no gap and revocation is
 * final, for keys in memory and in a file.
 */
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryKeys } from '../../adapters/memory/memory-keys.ts';
import { ed25519, newKeyPair, signText } from '../../adapters/node/ed25519.ts';
import { fileKeys } from '../../adapters/node/file-keys.ts';
import type { KeyStore } from '../../ports/keys.ts';
import { enrolKey, type NewKey, rotateKey } from './keys.ts';

const newKey = (changes: Partial<NewKey> = {}): NewKey => ({
  key_id: 'key_1',
  approver: 'ana',
  tenant_id: 'tenant_a',
  roles: ['finance'],
  public_key: newKeyPair().publicKey,
  enrolled_at: 1,
  enrolled_by: 'security_desk',
  expires_at: null,
  ...changes,
});

const STORES: readonly (readonly [string, () => KeyStore])[] = [
  ['memory', memoryKeys],
  ['file', () => fileKeys(join(mkdtempSync(join(tmpdir(), 'ambit-')), 'keys.json'))],
];

describe.each(STORES)('keys in %s', (_, open) => {
  test('rejects a key enrolled by its owner, and a second spelling of an approver name', async () => {
    const keys = open();
    const own = enrolKey(keys, newKey({ enrolled_by: 'Ana' }));
    await expect(own).rejects.toMatchObject({ code: 'permission_denied', path: '/enrolled_by' });
    await enrolKey(keys, newKey());
    const twice = enrolKey(keys, newKey({ key_id: 'key_2', approver: 'ANA' }));
    await expect(twice).rejects.toMatchObject({ code: 'input_invalid', path: '/approver' });
    expect(await keys.list()).toHaveLength(1);
  });

  test('finds and lists enrolled keys', async () => {
    const keys = open();
    expect(await keys.find('key_1')).toBeNull();
    const ana = await enrolKey(keys, newKey());
    const bob = await enrolKey(keys, newKey({ key_id: 'key_2', approver: 'bob', tenant_id: 'tenant_b' }));
    expect(await keys.find('key_1')).toEqual(ana);
    expect(await keys.list()).toEqual([ana, bob]);
    expect(await keys.list({ approver: 'bob' })).toEqual([bob]);
    expect(await keys.list({ tenantId: 'tenant_a' })).toEqual([ana]);
  });

  test('rejects a second key with the same id', async () => {
    const keys = open();
    await enrolKey(keys, newKey());
    await expect(enrolKey(keys, newKey())).rejects.toMatchObject({ code: 'key_exists' });
  });

  test('rejects enrolment by the owner of the key', async () => {
    await expect(enrolKey(open(), newKey({ enrolled_by: 'ana' }))).rejects.toMatchObject({ code: 'permission_denied' });
  });

  test('keeps the first revocation of a key', async () => {
    const keys = open();
    await enrolKey(keys, newKey());
    const revoked = { at: 5, by: 'security_desk', reason: 'lost' };
    await keys.revoke('key_1', revoked);
    await keys.revoke('key_1', { at: 9, by: 'eve', reason: 'other' });
    expect(await keys.find('key_1')).toMatchObject({ revoked });
    await expect(keys.revoke('key_9', revoked)).rejects.toMatchObject({ code: 'key_not_found' });
  });

  test('rotates a key for the same person only', async () => {
    const keys = open();
    await enrolKey(keys, newKey());
    await rotateKey(keys, 'key_1', newKey({ key_id: 'key_2', enrolled_at: 7 }));
    expect(await keys.list()).toMatchObject([{ revoked: { at: 7, reason: 'rotated to key_2' } }, { revoked: null }]);
    await expect(rotateKey(keys, 'key_2', newKey({ key_id: 'key_3', approver: 'eve' }))).rejects.toMatchObject({
      code: 'input_invalid',
    });
  });

  test('keeps every key when many are enrolled concurrently', async () => {
    const keys = open();
    const ids = Array.from({ length: 10 }, (_unused, place) => `key_${place}`);
    await Promise.all(ids.map((key_id) => enrolKey(keys, newKey({ key_id }))));
    const listed = (await keys.list()).map(({ key_id }) => key_id);
    expect(listed.toSorted()).toEqual(ids); // concurrent enrolments have no order
  });
});

test('makes a key file readable by its owner only, and rejects a file that holds no keys', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ambit-')), 'keys.json');
  await enrolKey(fileKeys(path), newKey());
  expect(statSync(path).mode & 0o077).toBe(0);
  await expect(fileKeys(import.meta.filename).list()).rejects.toMatchObject({ code: 'input_invalid' });
});

test('verifies a signature only with its own key and text', () => {
  const { publicKey, privateKey } = newKeyPair();
  const signature = signText(privateKey, 'text');
  expect(ed25519.verify(publicKey, 'text', signature)).toBe(true);
  expect(ed25519.verify(publicKey, 'text!', signature)).toBe(false);
  expect(ed25519.verify(newKeyPair().publicKey, 'text', signature)).toBe(false);
  for (const junk of ['', 'AAAA', '\u0000', publicKey]) {
    expect(ed25519.verify(publicKey, 'text', junk)).toBe(false);
    expect(ed25519.verify(junk === publicKey ? '' : junk, 'text', signature)).toBe(false);
  }
  expect(() => signText('junk', 'text')).toThrow('private key');
});
