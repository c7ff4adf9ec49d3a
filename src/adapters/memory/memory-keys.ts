import { Fault } from '../../model/fault/fault.ts';
import type { SigningKey } from '../../model/gate/signing-key.ts';
import type { KeyStore } from '../../ports/keys.ts';

/** A key store for tests, and for processes that enrol their keys at every start. */
export function memoryKeys(): KeyStore {
  const keys = new Map<string, SigningKey>();
  return {
    add: async (key) => {
      if (keys.has(key.key_id)) throw new Fault('key_exists', `there is a key ${key.key_id} already`);
      keys.set(key.key_id, Object.freeze({ ...key }));
    },
    find: async (keyId) => keys.get(keyId) ?? null,
    list: async ({ tenantId, approver } = {}) =>
      [...keys.values()].filter(
        (key) =>
          (tenantId === undefined || key.tenant_id === tenantId) &&
          (approver === undefined || key.approver === approver),
      ),
    revoke: async (keyId, revoked) => {
      const key = keys.get(keyId);
      if (key === undefined) throw new Fault('key_not_found', `there is no key ${keyId}`);
      if (key.revoked === null) keys.set(keyId, Object.freeze({ ...key, revoked }));
    },
  };
}
