import { isCheckpointOf } from '../../kernel/checkpointing.ts';
import type { Blob } from '../../model/blob.ts';
import { BUNDLE_VERSION, type BundledRun, LANES_BUNDLE_VERSION, type RecordedPins } from '../../model/bundle.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { SigningKey } from '../../model/signing-key.ts';
import type { Journal } from '../../ports/journal.ts';
import type { KeyStore } from '../../ports/keys.ts';
import { type BundlePart, writeBundle } from '../../record/bundle/bundle.ts';
import { lanesOpened } from '../../replay/lanes-opened.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { standingOf } from '../../replay/standing.ts';
import { pinsOf } from '../../session/decided-by.ts';
import { blobsOf, type KeptBlob } from './run-blobs.ts';

export interface ExportRoom {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly keys: KeyStore | null;
  readonly now: number;
  /** What a run is decided with, whichever agent's it is. */
  readonly pinned: (runId: string) => Promise<ReplayEnv>;
}

/**
 * A run as one text: its frames, all that lies beside them, what it was decided with, and who vouches for decisions; and
 * the same of every lane below it. One that never began, or that was pruned, is left out: the run replays without it.
 */
export async function exportText(room: ExportRoom, frames: readonly Frame[]): Promise<string> {
  const own = await partOf(room, frames);
  const parts = [own];
  const known = new Set([own.header.run_id]);
  // What is added on the way is walked as well: lanes have lanes.
  for (const { opened } of parts) {
    for (const runId of opened.filter((id) => !known.has(id))) {
      known.add(runId);
      const left = await framesLeft(room.journal, runId);
      if (left.length > 0) parts.push(await partOf(room, left));
    }
  }
  const [, ...lanes] = parts;
  const { run_id, tenant_id, agent, ...rest } = own.header;
  const version = lanes.length === 0 ? BUNDLE_VERSION : LANES_BUNDLE_VERSION;
  const header = {
    format: 'ambit-run' as const,
    version,
    run_id,
    tenant_id,
    agent,
    exported_at: room.now,
    ...rest,
    ...(lanes.length === 0 ? {} : { lanes: lanes.length }),
  };
  return writeBundle({ ...own, header, lanes }, room.hash);
}

interface ExportedPart extends BundlePart {
  /** The runs of its lanes. */
  readonly opened: readonly string[];
}

async function partOf(room: ExportRoom, frames: readonly Frame[]): Promise<ExportedPart> {
  const { journal } = room;
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);
  const arrived = events.find((event) => event.type === 'goal_received');
  const last = frames.at(-1);
  if (arrived === undefined || last === undefined) throw new Fault('replay_input_missing', 'the run has no goal');
  const [row] = await journal.list({ session: last.session, limit: 1 });
  const { env } = await room.pinned(last.session);
  const checkpoints = standingOf(env, frames).checkpoints.map(
    // The checkpoints from before a fork lie with its parent, which may be gone by now.
    ({ checkpoint_id, state }) => [state, isCheckpointOf(last.session, checkpoint_id) ? 'surely' : 'perhaps'] as const,
  );
  const blobs = keptIn(await blobsOf(journal, frames, new Map(checkpoints)));
  const header: BundledRun = {
    run_id: last.session,
    tenant_id: arrived.tenant_id,
    agent: row?.agent ?? 'unknown',
    frames: frames.length,
    blobs: blobs.length,
    head: last.hash,
    pins: asJson(pinsOf(env)),
    keys: await keysOf(room.keys, events),
  };
  return { header, frames, blobs, opened: lanesOpened(env, frames) };
}

/** None of a run that is not there any more, or never was. */
async function framesLeft(journal: Pick<Journal, 'load'>, runId: string): Promise<readonly Frame[]> {
  try {
    return await journal.load(runId);
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_pruned') return [];
    throw error;
  }
}

function keptIn(blobs: readonly KeptBlob[]): readonly Blob[] {
  return blobs.map((blob) => {
    if ('text' in blob) return blob;
    throw new Fault('replay_input_missing', `${blob.address} cannot be read: ${blob.fault.message}`, {
      cause: blob.fault,
    });
  });
}

/** Through JSON once, so that what a header says is what a reader will read. */
const asJson = (pins: RecordedPins): RecordedPins => JSON.parse(JSON.stringify(pins)) as RecordedPins;

/** The public half of every key that signed something in this run, as far as it is here. */
async function keysOf(store: KeyStore | null, events: readonly RunEvent[]): Promise<readonly SigningKey[]> {
  const ids = new Set(events.flatMap((event) => ('proof' in event ? (event.proof?.key_id ?? []) : [])));
  const found = await Promise.all([...ids].map((id) => store?.find(id) ?? null));
  return found.filter((key) => key !== null);
}
