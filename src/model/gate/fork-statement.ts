/** The statement a person signs to let a fork of a run have real effects. */
export interface ForkStatement {
  readonly run_id: string;
  /** The checkpoint at which the fork starts. */
  readonly at: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}
