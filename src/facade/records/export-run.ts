import { isCheckpointOf } from '../../kernel/checkpointing.ts';
import { BUNDLE_VERSION, type RecordedPins } from '../../model/bundle.ts';
import type { RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import type { SigningKey } from '../../model/signing-key.ts';
import type { Journal } from '../../ports/journal.ts';
import type { KeyStore } from '../../ports/keys.ts';
import { writeBundle } from '../../record/bundle/bundle.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { standingOf } from '../../replay/standing.ts';
import { pinsOf } from '../../session/decided-by.ts';
import { blobsOf } from './run-blobs.ts';

export interface ExportRoom {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly keys: KeyStore | null;
  readonly now: number;
}

/** A run as one text: its frames, all that lies beside them, what it was decided with, and who vouches for decisions. */
export async function exportText(
  { journal, hash, keys, now }: ExportRoom,
  frames: readonly Frame[],
  { env }: ReplayEnv,
): Promise<string> {
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);
  const arrived = events.find((event) => event.type === 'goal_received');
  const last = frames.at(-1);
  if (arrived === undefined || last === undefined) throw new Fault('replay_input_missing', 'the run has no goal');
  const [row] = await journal.list({ session: last.session, limit: 1 });
  const checkpoints = standingOf(env, frames).checkpoints.map(
    // The checkpoints from before a fork lie with its parent, which may be gone by now.
    ({ checkpoint_id, state }) => [state, isCheckpointOf(last.session, checkpoint_id) ? 'surely' : 'perhaps'] as const,
  );
  const blobs = await blobsOf(journal, frames, new Map(checkpoints));
  const kept = blobs.map((blob) => {
    if ('text' in blob) return blob;
    throw new Fault('replay_input_missing', `${blob.address} cannot be read: ${blob.fault.message}`, {
      cause: blob.fault,
    });
  });
  const header = {
    format: 'ambit-run' as const,
    version: BUNDLE_VERSION,
    run_id: last.session,
    tenant_id: arrived.tenant_id,
    agent: row?.agent ?? 'unknown',
    exported_at: now,
    frames: frames.length,
    blobs: kept.length,
    head: last.hash,
    pins: asJson(pinsOf(env)),
    keys: await keysOf(keys, events),
  };
  return writeBundle({ header, frames, blobs: kept }, hash);
}

/** Through JSON once, so that what a header says is what a reader will read. */
const asJson = (pins: RecordedPins): RecordedPins => JSON.parse(JSON.stringify(pins)) as RecordedPins;

/** The public half of every key that signed something in this run, as far as it is here. */
async function keysOf(store: KeyStore | null, events: readonly RunEvent[]): Promise<readonly SigningKey[]> {
  const ids = new Set(events.flatMap((event) => ('proof' in event ? (event.proof?.key_id ?? []) : [])));
  const found = await Promise.all([...ids].map((id) => store?.find(id) ?? null));
  return found.filter((key) => key !== null);
}
