import type { SigningKey } from '../../model/gate/signing-key.ts';
import { isKeyListed, type KeyStore, keyExists, keyNotFound } from '../../ports/keys.ts';

/** A key store for tests, and for processes that enrol their keys at every start. */
export function memoryKeys(): KeyStore {
  const keys = new Map<string, SigningKey>();
  return {
    add: async (key) => {
      if (keys.has(key.key_id)) throw keyExists(key.key_id);
      keys.set(key.key_id, Object.freeze({ ...key }));
    },
    find: async (keyId) => keys.get(keyId) ?? null,
    list: async (filter = {}) => [...keys.values()].filter((key) => isKeyListed(key, filter)),
    revoke: async (keyId, revoked) => {
      const key = keys.get(keyId);
      if (key === undefined) throw keyNotFound(keyId);
      if (key.revoked === null) keys.set(keyId, Object.freeze({ ...key, revoked }));
    },
  };
}
