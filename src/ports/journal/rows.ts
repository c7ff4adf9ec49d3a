import type { TerminalCode } from '../../model/fault/terminal-code.ts';
import type { GateKind, GateStatus } from '../../model/gate/gate.ts';
import type { Address } from '../../model/json/hash.ts';
import type { RunMode } from '../../model/run/run-request.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { StandingUse } from './standing-grants.ts';

/**
 * Listing data of a session, so that a query over many sessions need not fold their journals. Rows are projections: the
 * append that makes a row true writes it in the same transaction, and the frames could reproduce it.
 */
export interface SessionRow {
  readonly session_id: string;
  readonly tenant_id: string;
  readonly agent: string;
  readonly intent: string;
  readonly status: SessionStatus;
  /** The graph node that the run is at. */
  readonly node: string;
  readonly seq: number;
  readonly head_hash: Address;
  /** The time of the first frame. */
  readonly started_at: number;
  readonly updated_at: number;
  /** The next deadline; null if only an event can move the session on. */
  readonly wake_at: number | null;
  /** Set by the last frame. An ended session accepts no more frames. */
  readonly terminal_code: TerminalCode | null;
  readonly last_seen: number;
  /** The thread that the session is a message of, and its user; null for a session without a thread. */
  readonly thread: string | null;
  readonly thread_user: string | null;
  /** The requested mode; null if the session was pruned before rows held it. */
  readonly mode: RunMode | null;
}

/** One row per thread. A thread is the list of its sessions; this row sums them up. */
export interface ThreadRow {
  readonly thread: string;
  readonly tenant_id: string;
  readonly thread_user: string;
  readonly agent: string;
  readonly sessions: number;
  /** The start of its first session, and the last change of any. */
  readonly started_at: number;
  readonly updated_at: number;
}

/** One row of the approval inbox. */
export interface GateRow {
  readonly gate_id: string;
  readonly session_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly kind: GateKind;
  /** The tool that would be called; the gate's kind if the gate is not about a call. */
  readonly action: string;
  readonly status: GateStatus;
  readonly packet_hash: string;
  readonly opened_at: number;
  readonly expires_at: number;
}

/**
 * One row of the effect ledger. `pending` after a crash means that the call is in doubt. `settled` is final: a repeat
 * under the same key returns the stored result.
 */
export interface EffectRow {
  readonly idempotency_key: string;
  readonly session_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly state: 'pending' | 'settled';
  /** The blob that holds the tool's result. */
  readonly result: Address | null;
}

/** The use of a single-use grant. An append that uses a grant a second time fails. */
export interface GrantUse {
  readonly grant_id: string;
  readonly session_id: string;
  readonly step_id: string;
  readonly used_at: number;
}

/** A checkpoint id, bound permanently to one content. The content is a blob of the same append or of an earlier one. */
export interface CheckpointRow {
  readonly checkpoint_id: string;
  readonly session_id: string;
  /** The seq of the frame with the checkpoint's verdict. A resumed run folds the frames after it. */
  readonly seq: number;
  readonly address: Address;
}

/** A run, and the last frame of it that was read. */
export type RunHead = Pick<SessionRow, 'session_id' | 'head_hash'>;

export interface Projections {
  readonly session: SessionRow;
  readonly gates: readonly GateRow[];
  readonly effects: readonly EffectRow[];
  readonly grants: readonly GrantUse[];
  /**
   * All tools that this append calls or asks a person about, including tools behind a dispatcher. A kill switch on any
   * of them blocks the append.
   */
  readonly intents: readonly string[];
  /** Present if the session is a lane: its parent. Once that has ended, the store refuses the lane's intents. */
  readonly parent?: string;
  /**
   * Present if the append holds intents of a lane: the runs above it, as they were when they permitted the intents. If
   * one of them has recorded anything since, such as its cancellation, the store refuses the append.
   */
  readonly above?: readonly RunHead[];
  /** Present if the append holds intents of a lane: the lane tools through which it was opened. */
  readonly through?: readonly string[];
  /** Present if the session is a lane: the agents that work in it, by their own names, including those above it. */
  readonly workers?: readonly string[];
  /** Present if a standing grant permitted a call. */
  readonly standing?: readonly StandingUse[];
  readonly checkpoints: readonly CheckpointRow[];
  /** Present if the frame was made in another store, so that this store does not sign it. */
  readonly imported?: true;
}
