import { isCheckpointOf } from '../../kernel/checkpointing.ts';
import { initialState } from '../../kernel/initial-state.ts';
import { toBlob } from '../../model/blob.ts';
import type { BundledRun, ImportNote } from '../../model/bundle.ts';
import { canonicalize } from '../../model/canonical.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Address, Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import { printable } from '../../model/printable.ts';
import type { Journal } from '../../ports/journal.ts';
import type { CheckpointRow, Projections } from '../../ports/journal-rows.ts';
import { type Bundle, type BundlePart, readBundle } from '../../record/bundle/bundle.ts';
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
  /** The runs of its lanes, which came along. */
  readonly lanes: readonly string[];
  /** It lay here already with all that came along, the very same. */
  readonly wasHere: boolean;
}

export interface ImportRoom extends DecidingRoom {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly now: number;
}

/**
 * Puts a run from elsewhere into the store, and those of its lanes, after each was taken again from what the bundle holds and
 * came out byte for byte. They are marked, they ask nobody for anything, and nobody goes on with them here.
 */
export async function importText(room: ImportRoom, text: string): Promise<ImportedRun> {
  const bundle = readBundle(text, room.hash);
  const { header, lanes } = bundle;
  const brought: Brought[] = [];
  for (const part of [bundle, ...lanes]) {
    if (part !== bundle) assertLane(part);
    const there = await framesHere(room, part.header, bundle.seal);
    if (there < part.header.frames) brought.push({ part, there, replayed: await takenAgain(room, part) });
  }
  // The run itself comes last: where it is, all that belongs to it is.
  for (const each of brought.toReversed()) await append(room, bundle, each);
  return {
    runId: header.run_id,
    tenantId: header.tenant_id,
    agent: header.agent,
    frames: header.frames,
    exportedAt: header.exported_at,
    lanes: lanes.map((lane) => lane.header.run_id),
    wasHere: brought.length === 0,
  };
}

/** A run that is not here, or not all of it, and how it came out. */
interface Brought {
  readonly part: BundlePart;
  /** How many of its frames are here already. */
  readonly there: number;
  readonly replayed: Replayed;
}

/** How much of this very run is here already: whoever was bringing this file may not have come to its end. */
async function framesHere({ journal }: ImportRoom, { run_id, head }: BundledRun, seal: Address): Promise<number> {
  const here = await journal.load(run_id);
  if (here.length === 0 || here.at(-1)?.hash === head) return here.length;
  const note = await importNote(journal, run_id);
  if (note?.bundle === seal) return here.length;
  throw new Fault('input_invalid', `there is another run ${run_id} in this store`);
}

/** What comes along is a lane by its own first words: no other run is brought in behind one. */
function assertLane({ header: { run_id }, frames }: BundlePart): void {
  const [first] = JSON.parse(frames[0]?.events ?? '[]') as readonly RunEvent[];
  if (first?.type === 'goal_received' && first.lane?.run_id === run_id) return;
  const path = `/lanes/${printable(run_id)}`;
  throw new Fault('bundle_invalid', `${path}: is the run of no lane`, { path });
}

/** The run, replayed from the bundle alone. */
async function takenAgain(room: ImportRoom, { header, frames, blobs }: BundlePart): Promise<Replayed> {
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

async function append(room: ImportRoom, bundle: Bundle, { part, there, replayed }: Brought): Promise<void> {
  const { journal, hash, parts } = room;
  const { frames, blobs, header } = part;
  const { turns } = replayed;
  const note = toBlob(canonicalize(noteOf(room, bundle, header) as unknown as Json), hash);
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

const noteOf = (
  { now }: ImportRoom,
  { header, seal }: Bundle,
  { run_id, agent, pins, keys }: BundledRun,
): ImportNote => ({
  run_id,
  agent,
  imported_at: now,
  exported_at: header.exported_at,
  bundle: seal,
  pins,
  keys,
});
