/**
 * Where secret and personal values are kept, each under the key of its tenant. The journal holds handles only: whoever
 * destroys a key has erased what was sealed with it, and no replay is any different for that.
 */
export interface Vault {
  /** The handle that stands for a value, given as the text of its JSON. Durable when it resolves. */
  seal(tenantId: string, text: string): Promise<string>;
  /** `sealed_unknown`: this tenant has no such handle. `sealed_erased`: its key has been destroyed. */
  open(tenantId: string, handle: string): Promise<string>;
  /** Opens a value for a person who decides about it. That they looked is kept, and durable before they see it. */
  reveal(look: Look): Promise<string>;
  looks(tenantId: string): Promise<readonly Look[]>;
  /**
   * Destroys the key of a tenant and all that was sealed with it; who had it done, and why, is kept. Where there is nothing
   * to erase it is `sealed_unknown`, or `sealed_erased` for what was erased before.
   */
  erase(erasure: Erasure): Promise<void>;
  erasures(tenantId: string): Promise<readonly Erasure[]>;
  /** Every tenant for which something is or was sealed, by name. */
  tenants(): Promise<readonly SealedTenant[]>;
  close(): Promise<void>;
}

/** Somebody has looked at a sealed value: who, at which gate, and when. */
export interface Look {
  readonly tenant_id: string;
  readonly handle: string;
  readonly gate_id: string;
  readonly by: string;
  readonly at: number;
}

export interface Erasure {
  readonly tenant_id: string;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** How much is kept for a tenant. */
export interface SealedTenant {
  readonly tenant_id: string;
  /** Without one nothing can be opened: there is nothing, or it has been erased. */
  readonly has_key: boolean;
  readonly values: number;
  /** When it was last erased; null where it never was. */
  readonly erased_at: number | null;
}

/** Vaults that come along. */
export interface Vaults {
  inMemory(): Vault;
  /** A file of its own, beside the journal and never in its backups. */
  inFile(path: string): Vault;
}
