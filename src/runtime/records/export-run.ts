import { isCheckpointOf } from '../../model/events/checkpoint.ts';
import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { SigningKey } from '../../model/gate/signing-key.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Hash } from '../../model/json/hash.ts';
import { BUNDLE_VERSION, type BundledRun, LANES_BUNDLE_VERSION, type RecordedPins } from '../../model/record/bundle.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { KeyStore } from '../../ports/keys.ts';
import { type BundlePart, writeBundle } from '../../record/bundle.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { lanesOpened, standingOf } from '../../replay/walk-run.ts';
import { pinsOf } from '../../session/recorded-rules.ts';
import { blobsOf, type KeptBlob, sessionsOfRun } from './run-blobs.ts';

export interface ExportDeps {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly keys: KeyStore | null;
  readonly now: number;
  /** The replay environment of a run of any agent. */
  readonly pinned: (frames: readonly Frame[]) => Promise<ReplayEnv>;
}

/**
 * Writes a run as one text: its frames, blobs, pins and public keys, and the same for every lane below it. Lanes that
 * never began or were pruned are left out; the run replays without them.
 */
export async function exportText(deps: ExportDeps, frames: readonly Frame[]): Promise<string> {
  const own = await partOf(deps, frames);
  const parts = [own];
  const known = new Set([own.header.run_id]);
  // The loop also visits the parts that it appends, because lanes can open lanes.
  for (const { opened } of parts) {
    for (const runId of opened.filter((id) => !known.has(id))) {
      known.add(runId);
      const left = await framesLeft(deps.journal, runId);
      if (left.length > 0) parts.push(await partOf(deps, left));
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
    exported_at: deps.now,
    ...rest,
    ...(lanes.length === 0 ? {} : { lanes: lanes.length }),
  };
  return writeBundle({ ...own, header, lanes }, deps.hash);
}

interface ExportedPart extends BundlePart {
  /** The run ids of its lanes. */
  readonly opened: readonly string[];
}

async function partOf(deps: ExportDeps, frames: readonly Frame[]): Promise<ExportedPart> {
  const { journal } = deps;
  const events = frames.flatMap(frameEvents);
  const arrived = events.find((event) => event.type === 'goal_received');
  const last = frames.at(-1);
  if (arrived === undefined || last === undefined) throw new Fault('replay_input_missing', 'the run has no goal');
  const [row] = await journal.list({ session: last.session, limit: 1 });
  const { env } = await deps.pinned(frames);
  const checkpoints = standingOf(env, frames).checkpoints.map(
    // Checkpoints from before a fork belong to the parent run, which may have been pruned.
    ({ checkpoint_id, state }) => [state, isCheckpointOf(last.session, checkpoint_id) ? 'surely' : 'perhaps'] as const,
  );
  const texts = await journal.texts(sessionsOfRun(frames), frames);
  const blobs = requireReadable(await blobsOf(journal, texts, frames, new Map(checkpoints)));
  const header: BundledRun = {
    run_id: last.session,
    tenant_id: arrived.tenant_id,
    agent: row?.agent ?? 'unknown',
    frames: frames.length,
    blobs: blobs.length,
    head: last.hash,
    pins: asJson(pinsOf(env)),
    keys: await keysOf(deps.keys, events),
  };
  return { header, frames, blobs, opened: lanesOpened(env, frames) };
}

/** Loads the frames of a run; empty if the run was pruned or never began. */
async function framesLeft(journal: Pick<Journal, 'load'>, runId: string): Promise<readonly Frame[]> {
  try {
    return await journal.load(runId);
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_pruned') return [];
    throw error;
  }
}

function requireReadable(blobs: readonly KeptBlob[]): readonly Blob[] {
  return blobs.map((blob) => {
    if ('text' in blob) return blob;
    throw new Fault('replay_input_missing', `${blob.address} cannot be read: ${blob.fault.message}`, {
      cause: blob.fault,
    });
  });
}

/** Round-trips the pins through JSON, so that the header equals what a reader will parse. */
const asJson = (pins: RecordedPins): RecordedPins => JSON.parse(JSON.stringify(pins)) as RecordedPins;

/** The public keys that signed decisions of this run, as far as the key store has them. */
async function keysOf(store: KeyStore | null, events: readonly RunEvent[]): Promise<readonly SigningKey[]> {
  const ids = new Set(events.flatMap((event) => ('proof' in event ? (event.proof?.key_id ?? []) : [])));
  const found = await Promise.all([...ids].map((id) => store?.find(id) ?? null));
  return found.filter((key) => key !== null);
}
