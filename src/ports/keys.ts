import type { KeyRevocation, SigningKey } from '../model/signing-key.ts';

export interface KeyFilter {
  readonly tenantId?: string;
  readonly approver?: string;
}

/**
 * Public keys of the people who decide, kept apart from the journal: whoever can write the one must not be able to make
 * up the other. What it promises is written down as tests in `testing/contracts`.
 */
export interface KeyStore {
  /** `key_exists`: an id is given once and keeps its key for ever. */
  add(key: SigningKey): Promise<void>;
  find(keyId: string): Promise<SigningKey | null>;
  /** In the order in which they were added, revoked ones included. */
  list(filter?: KeyFilter): Promise<readonly SigningKey[]>;
  /** `key_not_found`. A key that is revoked stays revoked as it was. */
  revoke(keyId: string, revocation: KeyRevocation): Promise<void>;
}

/** A pair for one person. The private half is theirs: keep it where only they can use it. */
export interface KeyPair {
  /** SubjectPublicKeyInfo in base64, to be enrolled. */
  readonly publicKey: string;
  /** PKCS #8 in base64. */
  readonly privateKey: string;
}

export interface KeyTools {
  readonly inMemory: () => KeyStore;
  readonly inFile: (path: string) => KeyStore;
  readonly newPair: () => KeyPair;
  /** Signs on the person's side, wherever their private key is. */
  readonly sign: (privateKey: string, text: string) => string;
}
