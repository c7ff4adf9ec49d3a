import type { Frame } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Address, Hash } from '../../model/json/hash.ts';
import type { StoredTexts } from '../../ports/journal/journal.ts';
import type { CheckpointRow } from '../../ports/journal/rows.ts';
import { verifyText } from '../../ports/journal/verify-stored.ts';
import type { SqliteConnection } from './connection.ts';
import { checkpointsIn, ledgerOf, type Notes, textIn } from './extras.ts';
import { eventsAt, sessionRow, sharedText } from './read.ts';

type Read = <T>(doing: string, ask: (connection: SqliteConnection) => T) => T;

/** The notes and texts of one frame, with the notes parsed. */
interface FrameTexts {
  readonly row: number;
  readonly seq: number;
  readonly session: string;
  readonly notes: Notes;
  readonly texts: string;
}

/**
 * Reads everything that sessions store beside their frames, one walk along the chain of each session. A lookup of a
 * single text walks the same chain, so that reading all texts one by one would be quadratic in the length of the run.
 */
export function readSessionTexts(
  read: Read,
  hash: Hash,
  sessions: readonly string[],
  loaded: readonly Frame[] = [],
): StoredTexts {
  const texts = new Map<Address, FrameTexts>();
  const checkpoints = new Map<string, CheckpointRow & { readonly frame: FrameTexts }>();
  const notes = new Map<string, readonly Notes[]>();
  for (const session of sessions) {
    const frames = read(`session ${session}`, (connection) => framesOf(connection, session));
    notes.set(session, frames.map((frame) => frame.notes).reverse());
    for (const frame of frames) {
      // The newest frame comes first; a lookup of a single text finds the newest one too.
      for (const [address] of frame.notes.t ?? []) if (!texts.has(address)) texts.set(address, frame);
      for (const [checkpoint_id, address] of checkpointsIn(frame.notes)) {
        if (!checkpoints.has(checkpoint_id))
          checkpoints.set(checkpoint_id, { checkpoint_id, session_id: session, seq: frame.seq, address, frame });
      }
    }
  }
  const first = loaded[0];
  const eventsOf = ({ row, seq, session }: FrameTexts): string => {
    const frame = session === first?.session ? loaded[seq - first.seq] : undefined;
    return frame?.seq === seq ? frame.events : read(`row ${row}`, ({ statements }) => eventsAt(statements, row));
  };
  const find = (address: Address, near: FrameTexts | undefined): string | undefined => {
    for (const frame of [near, texts.get(address)]) {
      const found = frame && textIn(frame.notes, address, frame.texts, () => eventsOf(frame));
      if (found !== undefined) return found;
    }
    return read(`blob ${address}`, ({ statements }) => sharedText(statements, address));
  };
  return {
    effects: (session) => ledgerOf(session, notes.get(session) ?? []),
    blob: async (address) => verifyText(address, find(address, undefined), hash),
    checkpoint: async (id) => {
      const found = checkpoints.get(id);
      if (found === undefined) throw new Fault('blob_missing', `there is no checkpoint ${id}`);
      const { frame, ...row } = found;
      return {
        row: Object.freeze(row),
        text: verifyText(row.address, find(row.address, frame), hash, 'checkpoint_corrupt'),
      };
    },
  };
}

/** The empty text is part of every note, and no limit cuts the walk. */
const EVERY_NOTE = '';
const EVERY = -1;

function framesOf({ statements }: SqliteConnection, session: string): readonly FrameTexts[] {
  const head = sessionRow(statements, session);
  if (head === undefined) return [];
  return statements.extrasOf.all(head.last_row, 0, EVERY_NOTE, EVERY).map(({ row, seq, notes, texts }) => ({
    row: Number(row),
    seq: Number(seq),
    session,
    notes: JSON.parse(String(notes)) as Notes,
    texts: String(texts),
  }));
}
