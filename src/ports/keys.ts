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
