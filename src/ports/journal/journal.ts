import type { Frame } from '../../model/events/frame.ts';
import type { GateStatus } from '../../model/gate/gate.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Address } from '../../model/json/hash.ts';
import type { RunMode } from '../../model/run/run-request.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { KillSwitchStore } from './kill-switches.ts';
import type { CheckpointRow, EffectRow, GateRow, Projections, SessionRow, ThreadRow } from './rows.ts';
import type { RunLabels } from './run-labels.ts';
import type { Drivers } from './scheduler.ts';
import type { StandingGrants } from './standing-grants.ts';

export interface Append {
  readonly session: string;
  /** The seq of the last frame that this writer knows; 0 for a new session. */
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
  readonly mode?: RunMode;
  /** Sessions whose next deadline is at or before this instant. */
  readonly wakeBy?: number;
  readonly seenBefore?: number;
  /** Order by last change. Default: newest first. */
  readonly order?: 'newest' | 'oldest';
  /** The last row of the previous page; the listing continues after it. */
  readonly after?: Pick<SessionRow, 'updated_at' | 'session_id'>;
  readonly limit?: number;
}

export interface GateFilter {
  readonly gate?: string;
  readonly name?: string;
  /** The tool that would be called, or the gate's kind. See `GateRow.action`. */
  readonly action?: string;
  readonly tenant?: string;
  readonly session?: string;
  /** The hash of the gate's packet. */
  readonly packet?: string;
  readonly statuses?: readonly GateStatus[];
  /** Order by opening time. Default: oldest first. */
  readonly order?: 'newest' | 'oldest';
  readonly limit?: number;
}

export interface ThreadFilter {
  readonly thread?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly agent?: string;
  readonly limit?: number;
}

export interface CheckpointText {
  readonly row: CheckpointRow;
  readonly text: string;
}

/** The texts of some sessions, read at once, so that reading each text costs no walk of its own. */
export interface StoredTexts {
  /** Returns a text of these sessions or a shared one, verified. Throws `blob_missing` if there is none. */
  blob(address: Address): Promise<string>;
  /** Returns a checkpoint that is numbered within one of these sessions, and its content, verified. */
  checkpoint(checkpointId: string): Promise<CheckpointText>;
  /** The effect ledger of one of these sessions. */
  effects(session: string): readonly EffectRow[];
}

/** The number of rows a listing returns if its filter has no limit. */
export const LIST_LIMIT = 1_000;

/** The append-only store of all sessions. The tests in `testing/contracts` define its guarantees. */
export interface Journal extends StandingGrants, KillSwitchStore, RunLabels {
  /** The processes that currently drive sessions. Present if several processes can share the store. */
  readonly drivers?: Drivers;
  /**
   * The only write. Stores a frame, its blobs and its projections atomically; durable when the promise resolves.
   * - `fenced`: another writer holds this position; nothing was stored.
   * - `store_unavailable`: nothing was stored.
   * - `store_unknown`: it may have been stored. Reload, or append the same frame again, which resolves if it was.
   * - `store_replaced`: the file was deleted or replaced; every later append fails too, until the process is started again.
   * - `kill_switch_on`: the append holds an intent that a kill switch blocks; nothing was stored.
   * - `lane_parent_ended`: the append holds an intent of a lane whose parent has ended; nothing was stored.
   * - `lane_parent_moved`: a run above the lane has another head than the one that permitted the intent; nothing was stored.
   * - `thread_busy`: the append begins a session of a thread in which another session is still open.
   * - `thread_denied`: the append begins a session of a thread that belongs to another user or another agent.
   * - any other fault, such as `grant_stale` or `session_terminal`: the append is refused as it is.
   */
  append(append: Append): Promise<void>;
  /** Returns the frames from `fromSeq` (default 1) on, chain verified. Empty for a session without frames. */
  load(session: string, fromSeq?: number): Promise<readonly Frame[]>;
  /**
   * Throws `run_unsigned` if a frame of the session is not signed with the anchor key of this process, or is imported. Absent
   * if runs without signatures may send calls.
   */
  assertSigned?(session: string): Promise<void>;
  /** Returns the first frame of a session, verified on its own, or null if the session has none. */
  first(session: string): Promise<Frame | null>;
  /**
   * Returns the text at an address, verified. Throws `blob_missing` if there is none. With `session`, the texts of that
   * session are searched before those of all others.
   */
  blob(address: Address, session?: string): Promise<string>;
  /** Returns null for a session without checkpoints. */
  latestCheckpoint(session: string): Promise<CheckpointRow | null>;
  /** Returns a checkpoint and its content, verified. */
  checkpoint(checkpointId: string): Promise<CheckpointText>;
  /**
   * Reads the texts and checkpoints of sessions, one walk per session. Reports texts that were altered when they are used.
   * A text that is part of one of the `loaded` frames is taken from it.
   */
  texts(sessions: readonly string[], loaded?: readonly Frame[]): Promise<StoredTexts>;
  list(filter: SessionFilter): Promise<readonly SessionRow[]>;
  /** Returns the threads, the last changed first. */
  threads(filter: ThreadFilter): Promise<readonly ThreadRow[]>;
  /** Returns the sessions of a thread, in the order in which they began. Threads of other tenants do not count. */
  threadSessions(tenant: string, thread: string): Promise<readonly SessionRow[]>;
  gates(filter: GateFilter): Promise<readonly GateRow[]>;
  /** Returns the effects in the order in which their calls were first intended. */
  effects(session: string): Promise<readonly EffectRow[]>;
  /**
   * Returns one row of a session's effect ledger, or null if this session never intended a call under the key; other
   * sessions do not count. The first read after an intent under a new key may return the row as the append left it,
   * because no other writer settles a call that may still be sent.
   */
  effect(session: string, idempotencyKey: string): Promise<EffectRow | null>;
  /** Completes pending requests, then releases the store. */
  close(): Promise<void>;
}

/** Named points in a journal at which a test can make the store fail. */
export const FAULT_POINTS = ['before_commit', 'after_commit'] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Called at each fault point. An error it throws counts as a failure of the store at that point. */
export type FaultPoints = (point: FaultPoint) => void;
