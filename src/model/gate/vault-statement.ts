/** The statement that a person signs to erase everything sealed for a tenant. */
export interface ErasureStatement {
  readonly tenant_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The statement that a person signs to read one sealed value. */
export interface SealedReadStatement {
  readonly gate_id: string;
  readonly handle: string;
  readonly key_id: string;
  readonly signed_at: number;
}
