import { initialState } from '../../kernel/index.ts';
import { isCheckpointOf } from '../../model/events/checkpoint.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import { toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Address, Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import type { BundledRun, ImportNote } from '../../model/record/bundle.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { CheckpointRow, Projections } from '../../ports/journal/rows.ts';
import type { Proofs } from '../../ports/proofs.ts';
import { type Bundle, type BundlePart, readBundle } from '../../record/bundle.ts';
import { modelExchanges } from '../../record/model-exchanges.ts';
import { type Replayed, replayRun } from '../../replay/replay.ts';
import { importNote, importNoteId } from '../../session/import-note.ts';
import { project } from '../../session/projections.ts';
import { foreignEnv, type ReplayDeps } from './pins.ts';
import { joinReports, type ProofReport, proofReport } from './proof-report.ts';
import { assertRecordedContext } from './recorded-env.ts';

/** A run in this store that was made elsewhere. */
export interface ImportedRun {
  readonly runId: string;
  readonly tenantId: string;
  readonly agent: string;
  readonly frames: number;
  readonly exportedAt: number;
  /** The run ids of its lanes, imported with it. */
  readonly lanes: readonly string[];
  /** True if the store already held the identical run and lanes. */
  readonly wasHere: boolean;
  /** The decisions in the bundle, checked against the keys that are enrolled here. Its own keys prove nothing. */
  readonly proofs: ProofReport;
}

export interface ImportDeps extends ReplayDeps {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly proofs: Proofs;
  readonly now: number;
}

/**
 * Imports a run and its lanes after replaying each of them byte for byte from the bundle. Imported runs are marked,
 * wait for no one and cannot be continued here.
 */
export async function importText(deps: ImportDeps, text: string): Promise<ImportedRun> {
  const bundle = readBundle(text, deps.hash);
  const { header, lanes } = bundle;
  const missing: MissingPart[] = [];
  for (const part of [bundle, ...lanes]) {
    if (part !== bundle) assertLane(part);
    const there = await framesHere(deps, part.header, bundle.seal);
    if (there < part.header.frames) missing.push({ part, there, replayed: await replayPart(deps, part) });
  }
  // The run itself is appended last: if it is present, so is everything that belongs to it.
  for (const each of missing.toReversed()) await append(deps, bundle, each);
  return {
    runId: header.run_id,
    tenantId: header.tenant_id,
    agent: header.agent,
    frames: header.frames,
    exportedAt: header.exported_at,
    lanes: lanes.map((lane) => lane.header.run_id),
    wasHere: missing.length === 0,
    proofs: joinReports(await Promise.all([bundle, ...lanes].map(({ frames }) => proofReport(deps.proofs, frames)))),
  };
}

/** A run that the store lacks, fully or in part, and its replay. */
interface MissingPart {
  readonly part: BundlePart;
  /** The number of its frames that are already stored. */
  readonly there: number;
  readonly replayed: Replayed;
}

/**
 * Counts the frames of this run that are already stored. An earlier import of the same file may have been interrupted.
 */
async function framesHere({ journal }: ImportDeps, { run_id, head }: BundledRun, seal: Address): Promise<number> {
  const here = await journal.load(run_id);
  if (here.length === 0 || here.at(-1)?.hash === head) return here.length;
  const note = await importNote(journal, run_id);
  if (note?.bundle === seal) return here.length;
  throw new Fault('input_invalid', `this store already has a different run ${run_id}`);
}

/** Rejects a part that is not a lane by its own first event, so that a bundle cannot bring in other runs. */
function assertLane({ header: { run_id }, frames }: BundlePart): void {
  const [first] = frames.slice(0, 1).flatMap(frameEvents);
  if (first?.type === 'goal_received' && first.lane?.run_id === run_id) return;
  const path = `/lanes/${printable(run_id)}`;
  throw new Fault('bundle_invalid', `${path}: is not the run of a lane`, { path });
}

/** Replays a run from the bundle alone. */
async function replayPart(deps: ImportDeps, { header, frames, blobs }: BundlePart): Promise<Replayed> {
  const texts = new Map(blobs.map(({ address, text }) => [address, text]));
  const within = {
    blob: async (address: Address): Promise<string> => {
      const text = texts.get(address);
      if (text !== undefined) return text;
      throw new Fault('blob_missing', `${address} is not in the bundle`);
    },
  };
  const events = frames.flatMap(frameEvents);
  const replayed = replayRun(await foreignEnv(deps, within, events, header.pins), frames);
  for (const { checkpointId, address } of replayed.turns.flatMap(({ checkpoints }) => checkpoints)) {
    if (!isCheckpointOf(header.run_id, checkpointId)) continue;
    if (!texts.has(address)) throw new Fault('bundle_invalid', `${checkpointId} is not in the bundle`);
  }
  await assertRecordedContext(within, events);
  await modelExchanges(within, events);
  return replayed;
}

async function append(deps: ImportDeps, bundle: Bundle, { part, there, replayed }: MissingPart): Promise<void> {
  const { journal, hash, parts } = deps;
  const { frames, blobs, header } = part;
  const { turns } = replayed;
  const note = toBlob(canonicalize(noteOf(deps, bundle, header) as unknown as Json), hash);
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
      projections: toReadOnlyRows(rows, header.run_id, place === 0 ? [mark] : []),
      writer: frame.writer,
    });
  }
}

/** Keeps only the rows for reading; drops gates, intents, call results and the wake time. */
const toReadOnlyRows = (
  { session, checkpoints }: Projections,
  session_id: string,
  marks: readonly CheckpointRow[],
): Projections => ({
  // Events that a fork copied carry the parent's run id, so the id is replaced. The parent's checkpoints stay with the
  // parent and are left out. An imported run continues no thread of this store.
  session: { ...session, session_id, wake_at: null, thread: null, thread_user: null },
  gates: [],
  effects: [],
  grants: [],
  intents: [],
  checkpoints: [...marks, ...checkpoints.filter((row) => row.session_id === session_id)],
  imported: true,
});

const noteOf = (
  { now }: ImportDeps,
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
