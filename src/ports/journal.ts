import type { Blob } from '../model/blob.ts';
import type { Frame } from '../model/frame.ts';
import type { GateStatus } from '../model/gate.ts';
import type { Address } from '../model/hash.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { Drivers } from './drivers.ts';
import type { CheckpointRow, EffectRow, GateRow, Projections, SessionRow } from './journal-rows.ts';
import type { KillSwitches } from './kill-switches.ts';
import type { StandingGrants } from './standing-grants.ts';

export interface Append {
  readonly session: string;
  /** The last frame this writer knows of; 0 for a new session. */
  readonly expectedSeq: number;
  readonly frame: Frame;
  readonly blobs: readonly Blob[];
  readonly projections: Projections;
  readonly writer: string;
}

export interface SessionFilter {
  readonly session?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly statuses?: readonly SessionStatus[];
  /** Sessions whose next deadline is at or before this instant. */
  readonly wakeBy?: number;
  /** Sessions that were last seen before this instant. */
  readonly seenBefore?: number;
  /** By last change; newest first unless told otherwise. */
  readonly order?: 'newest' | 'oldest';
  /** Behind this one in that order: whoever has read one page goes on with the next. */
  readonly after?: Pick<SessionRow, 'updated_at' | 'session_id'>;
  readonly limit?: number;
}

export interface GateFilter {
  readonly gate?: string;
  /** What the gate is called, whichever run opened it. */
  readonly name?: string;
  /** What they are about. */
  readonly action?: string;
  readonly tenant?: string;
  readonly session?: string;
  /** The hash of what they show. */
  readonly packet?: string;
  readonly statuses?: readonly GateStatus[];
  /** By when they were opened; oldest first unless told otherwise. */
  readonly order?: 'newest' | 'oldest';
  readonly limit?: number;
}

export interface StoredCheckpoint {
  readonly row: CheckpointRow;
  readonly text: string;
}

/** How many rows a listing gives when its filter names no limit. */
export const LIST_LIMIT = 1_000;

/** The store of everything that happened. What it promises is written down as tests in `testing/contracts`. */
export interface Journal extends StandingGrants, KillSwitches {
  /** Who drives at the moment. Present where several processes can share the store. */
  readonly drivers?: Drivers;
  /**
   * The only write: a frame, its blobs and its projections, all of them or none, durable when it resolves.
   * `fenced`: another writer holds this place; nothing was stored. `store_unavailable`: nothing was stored.
   * `store_unknown`: it may have been stored; reload, or append the identical frame again, which resolves if it was.
   * `kill_switch_on`: it holds an intent that somebody has stopped; nothing was stored.
   * `lane_parent_ended`: it holds an intent of a lane whose parent has ended; nothing was stored.
   * `grant_stale`, `session_terminal`, `checkpoint_exists`, `blob_missing`, `state_write_refused`, `input_invalid`:
   * this append is refused as it stands.
   */
  append(append: Append): Promise<void>;
  /** The frames from `fromSeq` (1) on, their chain verified. Empty for a session that has none. */
  load(session: string, fromSeq?: number): Promise<readonly Frame[]>;
  /** The frame that a session began with, verified by itself; null for a session that has none. */
  first(session: string): Promise<Frame | null>;
  /** The text at an address, verified. `blob_missing` when there is none. */
  blob(address: Address): Promise<string>;
  /** Null for a session without checkpoints. */
  latestCheckpoint(session: string): Promise<CheckpointRow | null>;
  /** A checkpoint and its content, verified. */
  checkpoint(checkpointId: string): Promise<StoredCheckpoint>;
  list(filter: SessionFilter): Promise<readonly SessionRow[]>;
  gates(filter: GateFilter): Promise<readonly GateRow[]>;
  /** In the order in which the calls were first intended. */
  effects(session: string): Promise<readonly EffectRow[]>;
  /**
   * One line of a session's ledger by its key; null where that session never intended anything under it, whoever else
   * did. Asked for the first time after an intent under a new key it may be the line that the append left: nobody else
   * settles a call while it may be sent.
   */
  effect(session: string, idempotencyKey: string): Promise<EffectRow | null>;
  /** Completes what was asked before, then lets go of the store. */
  close(): Promise<void>;
}
