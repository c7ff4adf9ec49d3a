/** The facts of an ended run as they are kept, so that they are not derived again. They can be deleted at any time. */
export interface KeptFacts {
  readonly run_id: string;
  /** The end of the chain of the run that the facts were derived from. */
  readonly head_hash: string;
  /** The version of the derivation. */
  readonly version: number;
  /** The facts as JSON. */
  readonly text: string;
}

/** Keeps what was derived from ended runs. A store of this kind proves nothing; the journal does. */
export interface FactsStore {
  /** Returns what is kept of these runs, in any order. */
  read(runIds: readonly string[]): Promise<readonly KeptFacts[]>;
  /** Keeps facts. Later facts of a run replace earlier ones. */
  write(facts: readonly KeptFacts[]): Promise<void>;
  close(): Promise<void>;
}
