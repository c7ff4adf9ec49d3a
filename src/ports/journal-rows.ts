import type { GateKind, GateStatus } from '../model/gate.ts';
import type { Address } from '../model/hash.ts';
import type { SessionStatus } from '../model/session-status.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { StandingUse } from './standing-grants.ts';

/**
 * What can be asked of many sessions without folding their journals. Rows are projections: each is written by
 * the append that makes it true, in the same transaction, and could be made again from the frames.
 */
export interface SessionRow {
  readonly session_id: string;
  readonly tenant_id: string;
  readonly agent: string;
  readonly intent: string;
  readonly status: SessionStatus;
  /** Where the run stands on its graph. */
  readonly node: string;
  readonly seq: number;
  readonly head_hash: Address;
  /** When its first frame was written. */
  readonly started_at: number;
  readonly updated_at: number;
  /** The next deadline; null when nothing but an event can move the session on. */
  readonly wake_at: number | null;
  /** Set by the last frame: a session that has ended takes no more of them. */
  readonly terminal_code: TerminalCode | null;
  readonly last_seen: number;
}

/** One line of the approval inbox. */
export interface GateRow {
  readonly gate_id: string;
  readonly session_id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly kind: GateKind;
  /** The tool that would be called; for a gate that is about no call, its kind. */
  readonly action: string;
  readonly status: GateStatus;
  readonly packet_hash: string;
  readonly opened_at: number;
  readonly expires_at: number;
}

/**
 * One line of the effect ledger. `pending` after a crash means the call is in doubt; `settled` is for good, and what
 * is asked for again under the same key is answered with the result.
 */
export interface EffectRow {
  readonly idempotency_key: string;
  readonly session_id: string;
  readonly step_id: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly state: 'pending' | 'settled';
  /** The blob that holds what the tool answered. */
  readonly result: Address | null;
}

/** A grant is good for one use: the second use of one fails the append that carries it. */
export interface GrantUse {
  readonly grant_id: string;
  readonly session_id: string;
  readonly step_id: string;
  readonly used_at: number;
}

/** A checkpoint's id, fixed for ever to one content. The content is a blob of the same append or an earlier one. */
export interface CheckpointRow {
  readonly checkpoint_id: string;
  readonly session_id: string;
  /** The frame of its verdict: a resumed run folds the frames after this one. */
  readonly seq: number;
  readonly address: Address;
}

export interface Projections {
  readonly session: SessionRow;
  readonly gates: readonly GateRow[];
  readonly effects: readonly EffectRow[];
  readonly grants: readonly GrantUse[];
  /**
   * Every tool that this append sets in motion or asks a person about, those behind a dispatcher included: any of them
   * may be switched off.
   */
  readonly intents: readonly string[];
  /** Present where the session is a lane: the session above it. Once that has ended, no intent of this one is stored. */
  readonly parent?: string;
  /** Present there as well: the agents at work in it by their own names, those above it included. */
  readonly workers?: readonly string[];
  /** Present where a standing grant let a call pass. */
  readonly standing?: readonly StandingUse[];
  readonly checkpoints: readonly CheckpointRow[];
}
