import { type Frame, GENESIS, sealFrame } from '../../../model/events/frame.ts';
import type { Blob } from '../../../model/json/blob.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { Append, Journal } from '../../../ports/journal/journal.ts';
import type { Projections, SessionRow } from '../../../ports/journal/rows.ts';

export interface DraftAppend {
  readonly session?: string;
  readonly writer?: string;
  /** The frame to continue; absent for a new session. */
  readonly after?: Frame;
  readonly events?: string;
  readonly blobs?: readonly Blob[];
  readonly row?: Partial<SessionRow>;
  readonly rows?: Partial<Omit<Projections, 'session'>>;
}

/** A valid, minimal append; a case names only the parts it is about. */
export function draft(hash: Hash, options: DraftAppend = {}): Append {
  const { after, writer = 'w_1', blobs = [], row = {}, rows = {} } = options;
  const session = options.session ?? after?.session ?? 'sess_1';
  const seq = (after?.seq ?? 0) + 1;
  const events = options.events ?? JSON.stringify([{ type: 'time_passed', at: seq }]);
  const frame = sealFrame({ session, seq, at: 1_000 + seq, writer, events, prev: after?.hash ?? GENESIS }, hash);
  const projections: Projections = {
    session: { ...sessionRow(frame), ...row },
    gates: [],
    effects: [],
    grants: [],
    intents: [],
    checkpoints: [],
    ...rows,
  };
  return { session, expectedSeq: seq - 1, frame, blobs, projections, writer };
}

function sessionRow(frame: Frame): SessionRow {
  return {
    session_id: frame.session,
    tenant_id: 'tenant_a',
    agent: 'support',
    intent: 'refund',
    status: 'in_progress',
    node: 'plan',
    seq: frame.seq,
    head_hash: frame.hash,
    started_at: 1_000,
    updated_at: frame.at,
    wake_at: null,
    terminal_code: null,
    last_seen: frame.at,
    thread: null,
    thread_user: null,
    mode: 'standard',
  };
}

/** Appends a number of frames to a session and returns the last one. */
export async function grow(journal: Journal, hash: Hash, frames: number, start: DraftAppend = {}): Promise<Frame> {
  let append = draft(hash, start);
  await journal.append(append);
  for (let more = 1; more < frames; more += 1) {
    append = draft(hash, { ...start, after: append.frame });
    await journal.append(append);
  }
  return append.frame;
}
