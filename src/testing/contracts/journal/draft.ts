import type { Blob } from '../../../model/blob.ts';
import { type Frame, GENESIS, sealFrame } from '../../../model/frame.ts';
import type { Hash } from '../../../model/hash.ts';
import type { Append, Journal } from '../../../ports/journal.ts';
import type { Projections, SessionRow } from '../../../ports/journal-rows.ts';

export interface Draft {
  readonly session?: string;
  readonly writer?: string;
  /** The frame to continue; none starts a session. */
  readonly after?: Frame;
  readonly events?: string;
  readonly blobs?: readonly Blob[];
  readonly row?: Partial<SessionRow>;
  readonly rows?: Partial<Omit<Projections, 'session'>>;
}

/** A correct append with as little in it as possible; a case names only what it is about. */
export function draft(hash: Hash, options: Draft = {}): Append {
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
  };
}

/** Appends so many frames to a session and gives back the last of them. */
export async function grow(journal: Journal, hash: Hash, frames: number, start: Draft = {}): Promise<Frame> {
  let append = draft(hash, start);
  await journal.append(append);
  for (let more = 1; more < frames; more += 1) {
    append = draft(hash, { ...start, after: append.frame });
    await journal.append(append);
  }
  return append.frame;
}
