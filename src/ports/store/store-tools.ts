import type { Address } from '../../model/json/hash.ts';

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
  /** The number of sessions of which only the provenance is left. */
  readonly pruned: number;
  readonly problems: readonly StoreProblem[];
}

export interface PruneOptions {
  readonly tenant: string;
  /** Prunes sessions that ended longer ago than this. */
  readonly olderThanMs: number;
  readonly now: number;
}

export interface Pruned {
  readonly sessions: readonly string[];
  readonly frames: number;
  readonly texts: number;
}

/** The last frame of a session's chain. */
export interface ChainHead {
  readonly session_id: string;
  readonly seq: number;
  readonly head_hash: Address;
}

/** Chain heads at one moment. Keep them out of reach of anyone who can write the store. */
export interface Anchors {
  readonly kind: 'ambit_anchors@1';
  readonly at: number;
  readonly heads: readonly ChainHead[];
  readonly signature: { readonly public_key: string; readonly value: string } | null;
}

export interface AnchorOptions {
  readonly now: number;
  /** Anchors one session. Default: all sessions. */
  readonly session?: string;
  /** Both halves of an Ed25519 key, as `keyTools.newPair` makes them. */
  readonly key?: { readonly publicKey: string; readonly privateKey: string };
}

export type AnchorFinding =
  | { readonly session_id: string; readonly verdict: 'unchanged' | 'grown' | 'pruned' }
  | {
      readonly session_id: string;
      /** The session is gone, shorter than it was, or its past differs. */
      readonly verdict: 'missing' | 'truncated' | 'rewritten' | 'damaged';
      readonly message: string;
    };

export interface AnchorVerdict {
  readonly signature: 'good' | 'bad' | 'none' | 'of_another_key';
  readonly findings: readonly AnchorFinding[];
  /** True if nothing anchored was removed or changed, and the required signature is good. */
  readonly ok: boolean;
}

/** Maintenance of a store file. Each function opens the file itself; other processes may keep writing meanwhile. */
export interface StoreTools {
  /** Checks the file, every chain and every text. Changes no acknowledged data. */
  check(file: string): StoreReport;
  /** Copies the store while others write. The copy can be opened like the original. `to` must not exist. */
  backup(file: string, to: string): Promise<{ readonly bytes: number }>;
  /**
   * Removes the frames, checkpoints and texts of a tenant's ended sessions. Each session keeps its row with its outcome
   * and chain head, its gates and its decision record.
   */
  prune(file: string, options: PruneOptions): Pruned;
  anchor(file: string, options: AnchorOptions): Anchors;
  /** Compares a store with anchors. `publicKey` is the key that must have signed them. */
  verifyAnchors(file: string, anchors: Anchors, publicKey?: string): AnchorVerdict;
}
