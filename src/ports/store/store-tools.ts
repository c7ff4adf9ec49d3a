import type { Frame } from '../../model/events/frame.ts';
import type { Address } from '../../model/json/hash.ts';
import type { CheckpointRow, EffectRow, GateRow, GrantUse, SessionRow } from '../journal/rows.ts';
import type { StandingUse } from '../journal/standing-grants.ts';
import type { KeyPair } from '../keys.ts';

export interface StoreProblem {
  /** A JSON Pointer into the store, such as `/sessions/run_1/frames/3`. */
  readonly place: string;
  readonly message: string;
}

export interface StoreReport {
  readonly file: string;
  readonly format: number;
  /** The random identity of the store, which its permissions and the signatures of its frames are bound to. */
  readonly store_id: string | null;
  readonly sessions: number;
  readonly frames: number;
  /** The frames that no anchor key signed. */
  readonly unsigned_frames: number;
  readonly texts: number;
  /** The number of sessions of which only the provenance is left. */
  readonly pruned: number;
  /** The permission records, and how many of them the anchor key did not sign. */
  readonly permissions: { readonly records: number; readonly unsigned: number };
  /** Columns that no frame proves: those of runs that have not recorded their rules. */
  readonly unverified: readonly StoreProblem[];
  readonly problems: readonly StoreProblem[];
}

export interface PruneOptions {
  readonly tenant: string;
  /** Prunes sessions that ended longer ago than this. */
  readonly olderThanMs: number;
  readonly now: number;
  /** Recorded with each pruned session. Default: its retention is over. */
  readonly reason?: string;
  /** The anchor key of the store, which signs the records of the pruning. Signed anchors accept no unsigned ones. */
  readonly key?: KeyPair;
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
  readonly kind: 'ambit_anchors@1' | 'ambit_anchors@2';
  readonly at: number;
  readonly heads: readonly ChainHead[];
  /** The end of the permission records. Anchors of older versions have none. */
  readonly permissions?: { readonly count: number; readonly hash: string };
  readonly signature: { readonly public_key: string; readonly value: string } | null;
}

export interface AnchorOptions {
  readonly now: number;
  /** Anchors one session. Default: all sessions. */
  readonly session?: string;
  /** Both halves of an Ed25519 key, as `keyTools.newPair` makes them. */
  readonly key?: KeyPair;
}

export type AnchorFinding =
  | { readonly session_id: string; readonly verdict: 'unchanged' | 'grown' | 'pruned' }
  | {
      readonly session_id: string;
      /** The session is gone, shorter than it was, or its past differs. */
      readonly verdict: 'missing' | 'truncated' | 'rewritten' | 'damaged';
      readonly message: string;
    };

/** `not_anchored`: the anchors were made by a version that did not chain permissions. */
export interface PermissionFinding {
  readonly verdict: 'unchanged' | 'grown' | 'not_anchored' | 'truncated' | 'rewritten' | 'damaged';
  readonly message?: string;
}

export interface AnchorVerdict {
  readonly signature: 'good' | 'bad' | 'none' | 'of_another_key';
  readonly findings: readonly AnchorFinding[];
  /** Compares the permission records: grants, kill switches and prunings. */
  readonly permissions: PermissionFinding;
  /** True if nothing anchored was removed or changed, and the required signature is good. */
  readonly ok: boolean;
}

/** The rows of a session, derived again from its frames. */
export interface RebuiltRows {
  readonly session: SessionRow;
  readonly gates: readonly GateRow[];
  /** In the order in which they were written; a later row of the same key replaces an earlier one. */
  readonly effects: readonly EffectRow[];
  readonly grants: readonly GrantUse[];
  readonly standing: readonly StandingUse[];
  readonly checkpoints: readonly CheckpointRow[];
  /** The columns of `session` that depend on rules that the run has not recorded yet. */
  readonly unverified: readonly (keyof SessionRow)[];
  /** The addresses of the texts that must be in the store. */
  readonly texts: readonly Address[];
}

/** The inputs of `RebuildRows` besides the frames. */
export interface RebuildSources {
  /** The text at an address, verified. Throws if it is missing or was altered. */
  readonly textAt: (address: Address) => string;
  readonly isImported: boolean;
}

/** The reason why the rows of a session cannot be derived here. */
export interface NotRebuilt {
  readonly why: string;
}

/** Derives the rows of a session, or says why it cannot: an older version recorded it, or a guard is missing. */
export type RebuildRows = (frames: readonly Frame[], sources: RebuildSources) => RebuiltRows | NotRebuilt;

/** Guards of a host by `name@version`, such as `ambit({ guards })` takes. */
export type HostGuards = Readonly<Record<string, (view: never) => boolean>>;

export interface CheckStoreOptions {
  readonly publicKey?: string;
  /** Your own guards that runs of this store used. Rows of a run whose guards are missing stay unverified. */
  readonly guards?: HostGuards;
}

/** Maintenance of a store file. Each function opens the file itself; other processes may keep writing meanwhile. */
export interface StoreTools {
  /**
   * Checks the schema, every chain, text and row: each row is derived again from the frames. With `publicKey`, a
   * permission or a later frame that this key did not sign is a problem. Changes no acknowledged data.
   */
  check(file: string, options?: CheckStoreOptions): StoreReport;
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
