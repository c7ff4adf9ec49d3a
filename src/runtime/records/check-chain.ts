import { isCheckpointOf } from '../../model/events/checkpoint.ts';
import type { Frame } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { blobsOf, sessionsOfRun } from './run-blobs.ts';

/** A stored item that does not match its hash, or is missing. */
export interface Damage {
  readonly run_id: string;
  readonly what: 'frame' | 'blob' | 'checkpoint';
  /** The JSON Pointer of the frame, the address of the blob or the id of the checkpoint. */
  readonly place: string;
  readonly message: string;
}

export interface ChainReport {
  readonly runs: number;
  readonly frames: number;
  readonly blobs: number;
  readonly checkpoints: number;
  /** Pruned runs keep only their ending, their record and the head of their chain, so nothing is left to check. */
  readonly pruned: number;
  /** Empty if every item is intact. */
  readonly damaged: readonly Damage[];
}

/** Computes the checkpoints that a run must have from its frames. */
export type CheckpointsOf = (frames: readonly Frame[]) => Promise<readonly Checkpointed[]>;

interface Checkpointed {
  readonly checkpoint_id: string;
  /** The address of the state at its verdict; null if the run belongs to an agent that is not in this runtime. */
  readonly state: `sha256:${string}` | null;
}

/** Reads everything that runs have stored and checks it against its hashes. */
export async function checkChain(
  journal: Journal,
  runIds: readonly string[],
  checkpointsOf: CheckpointsOf,
): Promise<ChainReport> {
  const counts = { frames: 0, blobs: 0, checkpoints: 0, pruned: 0 };
  const damaged: Damage[] = [];
  for (const run_id of runIds) {
    const note = (what: Damage['what'], place: string, { message }: Fault): void => {
      damaged.push({ run_id, what, place, message });
    };
    const frames = await catchFault(() => journal.load(run_id));
    if (Fault.is(frames)) {
      if (frames.code === 'session_pruned') counts.pruned += 1;
      else note('frame', frames.path ?? '', frames);
      continue;
    }
    counts.frames += frames.length;
    const checkpoints = await catchFault(() => checkpointsOf(frames));
    const known = Fault.is(checkpoints) ? await listByNumber(journal, run_id) : checkpoints;
    const texts = await catchFault(() => journal.texts(sessionsOfRun(frames), frames));
    if (Fault.is(texts)) {
      note('blob', '', texts);
      continue;
    }
    for (const { checkpoint_id, state } of known) {
      if (!isCheckpointOf(run_id, checkpoint_id)) continue;
      counts.checkpoints += 1;
      const stored = await catchFault(() => texts.checkpoint(checkpoint_id));
      if (Fault.is(stored)) note('checkpoint', checkpoint_id, stored);
      else if (state !== null && stored.row.address !== state)
        note('checkpoint', checkpoint_id, contentFault(checkpoint_id));
    }
    const blobs = await catchFault(() => blobsOf(journal, texts, frames));
    if (Fault.is(blobs)) {
      note('blob', '', blobs);
      continue;
    }
    counts.blobs += blobs.length;
    for (const blob of blobs) if ('fault' in blob) note('blob', blob.address, blob.fault);
  }
  return { runs: runIds.length, ...counts, damaged };
}

/** Lists checkpoints by number. They are numbered without gaps, so the last id gives all others. */
async function listByNumber(journal: Journal, runId: string): Promise<readonly Checkpointed[]> {
  const last = (await journal.latestCheckpoint(runId))?.checkpoint_id ?? '';
  const count = Number(last.slice(`ck_${runId}_`.length));
  if (!last.startsWith(`ck_${runId}_`) || !Number.isSafeInteger(count)) return [];
  return Array.from({ length: count }, (_, place) => ({ checkpoint_id: `ck_${runId}_${place + 1}`, state: null }));
}

const contentFault = (id: string): Fault =>
  new Fault('checkpoint_corrupt', `${id} is stored with another content than its verdict leads to`);

async function catchFault<T>(work: () => Promise<T>): Promise<T | Fault> {
  try {
    return await work();
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
}
