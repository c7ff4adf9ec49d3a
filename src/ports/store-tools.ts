import type { Address } from '../model/hash.ts';

/** What is wrong with a store, and where. */
export interface StoreProblem {
  /** A JSON Pointer into the store, such as `/sessions/run_1/frames/3`. */
  readonly place: string;
  readonly message: string;
}

export interface StoreReport {
  readonly file: string;
  readonly format: number;
  readonly sessions: number;
  readonly frames: number;
  readonly texts: number;
  /** Sessions of which only the provenance is left. */
  readonly pruned: number;
  readonly problems: readonly StoreProblem[];
}

export interface PruneOptions {
  readonly tenant: string;
  /** Sessions that ended longer ago than this go. */
  readonly olderThanMs: number;
  readonly now: number;
}

export interface Pruned {
  readonly sessions: readonly string[];
  readonly frames: number;
  readonly texts: number;
}

/** Where a session's chain stood. */
export interface ChainHead {
  readonly session_id: string;
  readonly seq: number;
  readonly head_hash: Address;
}

/** Heads at one moment, to be kept where nobody who can write the store can write. */
export interface Anchors {
  readonly kind: 'ambit_anchors@1';
  readonly at: number;
  readonly heads: readonly ChainHead[];
  /** Null where nobody signed. */
  readonly signature: { readonly public_key: string; readonly value: string } | null;
}

export interface AnchorOptions {
  readonly now: number;
  /** Of one session; without it, of all. */
  readonly session?: string;
  /** Both halves of an Ed25519 key, as `keyTools.newPair` makes them. */
  readonly key?: { readonly publicKey: string; readonly privateKey: string };
}

export type AnchorFinding =
  | { readonly session_id: string; readonly verdict: 'unchanged' | 'grown' | 'pruned' }
  | {
      readonly session_id: string;
      /** Gone, shorter than it was, or with another past than it had. */
      readonly verdict: 'missing' | 'truncated' | 'rewritten' | 'damaged';
      readonly message: string;
    };

export interface AnchorVerdict {
  readonly signature: 'good' | 'bad' | 'none' | 'of_another_key';
  readonly findings: readonly AnchorFinding[];
  /** True where nothing anchored was taken away or changed, and whoever was to have signed has. */
  readonly ok: boolean;
}

/** Looking after a store file. Each opens the file for itself; other processes may go on writing meanwhile. */
export interface StoreTools {
  /** Everything that can be checked: the file, every chain, every text. It changes nothing that was acknowledged. */
  check(file: string): StoreReport;
  /** A copy, made while others write, that can be opened like the original. `to` must not exist. */
  backup(file: string, to: string): Promise<{ readonly bytes: number }>;
  /**
   * Removes what a tenant need not keep any longer: frames, checkpoints and texts of sessions that ended. What is left of
   * each is its row with how it ended and its chain's head, its gates, and its decision record.
   */
  prune(file: string, options: PruneOptions): Pruned;
  anchor(file: string, options: AnchorOptions): Anchors;
  /** Holds a store against anchors; `publicKey` is whose signature they must have. */
  verifyAnchors(file: string, anchors: Anchors, publicKey?: string): AnchorVerdict;
}
