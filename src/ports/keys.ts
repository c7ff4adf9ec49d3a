import { Fault } from '../model/fault/fault.ts';
import type { KeyRevocation, SigningKey } from '../model/gate/signing-key.ts';

interface KeyFilter {
  readonly tenantId?: string;
  readonly approver?: string;
}

/**
 * Public keys of the people who decide. They are kept apart from the journal so that access to one does not let anyone
 * forge the other. The tests in `testing/contracts` define the store's guarantees.
 */
export interface KeyStore {
  /** `key_exists`: a key id is used once and is bound to its key permanently. */
  add(key: SigningKey): Promise<void>;
  find(keyId: string): Promise<SigningKey | null>;
  /** Returns the keys in the order in which they were added, including revoked ones. */
  list(filter?: KeyFilter): Promise<readonly SigningKey[]>;
  /** `key_not_found`. Revoking a key again does not change the first revocation. */
  revoke(keyId: string, revocation: KeyRevocation): Promise<void>;
}

/** The key pair of one person. Only that person may have access to the private half. */
export interface KeyPair {
  /** SubjectPublicKeyInfo in base64. This half is enrolled. */
  readonly publicKey: string;
  /** PKCS #8 in base64. */
  readonly privateKey: string;
}

export interface KeyTools {
  readonly inMemory: () => KeyStore;
  readonly inFile: (path: string) => KeyStore;
  readonly newPair: () => KeyPair;
  /** Signs a text on the person's own machine. */
  readonly sign: (privateKey: string, text: string) => string;
}

/** Verifies signatures. Returns false for a malformed key or signature; never throws. */
export interface Signatures {
  verify(publicKey: string, text: string, signature: string): boolean;
}

export const isKeyListed = ({ tenant_id, approver }: SigningKey, filter: KeyFilter): boolean =>
  (filter.tenantId === undefined || tenant_id === filter.tenantId) &&
  (filter.approver === undefined || approver === filter.approver);

export const keyExists = (keyId: string): Fault => new Fault('key_exists', `there is a key ${keyId} already`);

export const keyNotFound = (keyId: string): Fault => new Fault('key_not_found', `there is no key ${keyId}`);
