import { isCheckpointOf } from '../../kernel/checkpointing.ts';
import { initialState } from '../../kernel/initial-state.ts';
import { toBlob } from '../../model/blob.ts';
import type { ImportNote } from '../../model/bundle.ts';
import { canonicalize } from '../../model/canonical.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Address, Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import type { Journal } from '../../ports/journal.ts';
import type { CheckpointRow, Projections } from '../../ports/journal-rows.ts';
import { type Bundle, readBundle } from '../../record/bundle/bundle.ts';
import { modelExchanges } from '../../record/model-exchanges.ts';
import { type Replayed, replayRun } from '../../replay/replay.ts';
import { importNote, importNoteId } from '../../session/imported.ts';
import { project } from '../../session/projections.ts';
import { assertRecordedContext } from '../../session/recorded.ts';
import { type DecidingRoom, foreignEnv } from './pins.ts';

/** A run that lies in this store now and was made elsewhere. */
export interface ImportedRun {
  readonly runId: string;
  readonly tenantId: string;
  readonly agent: string;
  readonly frames: number;
  readonly exportedAt: number;
  /** It lay here already, the very same. */
  readonly wasHere: boolean;
}

export interface ImportRoom extends DecidingRoom {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly now: number;
}

/**
 * Puts a run from elsewhere into the store, after it was taken again from what the bundle holds and came out byte for
 * byte. It is marked, it asks nobody for anything, and nobody goes on with it here.
 */
export async function importText(room: ImportRoom, text: string): Promise<ImportedRun> {
  const bundle = readBundle(text, room.hash);
  const { header } = bundle;
  const said = {
    runId: header.run_id,
    tenantId: header.tenant_id,
    agent: header.agent,
    frames: header.frames,
    exportedAt: header.exported_at,
  };
  const here = await room.journal.load(header.run_id);
  if (here.length > 0) {
    if (here.at(-1)?.hash === header.head) return { ...said, wasHere: true };
    // Whoever was bringing this very file did not come to its end: it is brought from there on.
    const note = await importNote(room.journal, header.run_id);
    if (note?.bundle !== bundle.seal) {
      throw new Fault('input_invalid', `there is another run ${header.run_id} in this store`);
    }
  }
  await append(room, bundle, await takenAgain(room, bundle), here.length);
  return { ...said, wasHere: false };
}

/** The run, replayed from the bundle alone. */
async function takenAgain(room: ImportRoom, { header, frames, blobs }: Bundle): Promise<Replayed> {
  const texts = new Map(blobs.map(({ address, text }) => [address, text]));
  const within = {
    blob: async (address: Address): Promise<string> => {
      const text = texts.get(address);
      if (text !== undefined) return text;
      throw new Fault('blob_missing', `${address} is not in the bundle`);
    },
  };
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);
  const replayed = replayRun(await foreignEnv(room, within, events, header.pins), frames);
  for (const { checkpointId, address } of replayed.turns.flatMap(({ checkpoints }) => checkpoints)) {
    if (!isCheckpointOf(header.run_id, checkpointId)) continue;
    if (!texts.has(address)) throw new Fault('bundle_invalid', `${checkpointId} is not in the bundle`);
  }
  await assertRecordedContext(within, events);
  await modelExchanges(within, events);
  return replayed;
}

async function append(room: ImportRoom, bundle: Bundle, { turns }: Replayed, there: number): Promise<void> {
  const { journal, hash, parts } = room;
  const { frames, blobs, header } = bundle;
  const note = toBlob(canonicalize(noteOf(room, bundle) as unknown as Json), hash);
  const mark = { checkpoint_id: importNoteId(header.run_id), session_id: header.run_id, seq: 1, address: note.address };
  let before = initialState(parts.pins.env);
  for (const [place, frame] of frames.entries()) {
    const turn = turns[place];
    if (turn === undefined) throw new Fault('internal', 'a frame without its turn');
    const rows = project(before, turn, frame, { agent: header.agent, settled: null });
    before = turn.state;
    if (place < there) continue;
    await journal.append({
      session: header.run_id,
      expectedSeq: frame.seq - 1,
      frame,
      blobs: place === 0 ? [...blobs, note] : [],
      projections: looksOn(rows, header.run_id, place === 0 ? [mark] : []),
      writer: frame.writer,
    });
  }
}

/** What can be looked at, and nothing that asks for a decision, counts as an intent, answers a call or wakes anybody. */
const looksOn = (
  { session, checkpoints }: Projections,
  session_id: string,
  marks: readonly CheckpointRow[],
): Projections => ({
  // What a fork has from its parent happened under the parent's name; here it is part of the fork, but for the parent's
  // checkpoints, which are its own wherever it is.
  session: { ...session, session_id, wake_at: null },
  gates: [],
  effects: [],
  grants: [],
  intents: [],
  checkpoints: [...marks, ...checkpoints.filter((row) => row.session_id === session_id)],
});

const noteOf = ({ now }: ImportRoom, { header, seal }: Bundle): ImportNote => ({
  run_id: header.run_id,
  agent: header.agent,
  imported_at: now,
  exported_at: header.exported_at,
  bundle: seal,
  pins: header.pins,
  keys: header.keys,
});
