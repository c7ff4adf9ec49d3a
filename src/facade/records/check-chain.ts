import { isCheckpointOf } from '../../kernel/checkpointing.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import type { Journal } from '../../ports/journal.ts';
import { blobsOf } from './run-blobs.ts';

/** Something in the store that is not what was put there. */
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
  /** Of these only their ending, their record and the head of their chain are kept: nothing is left to check. */
  readonly pruned: number;
  /** Nothing, where all of it is as it was written. */
  readonly damaged: readonly Damage[];
}

/** Which checkpoints a run must have, by its frames. */
export type CheckpointsOf = (frames: readonly Frame[]) => Promise<readonly Checkpointed[]>;

interface Checkpointed {
  readonly checkpoint_id: string;
  /** What its verdict leads to; null where that is not known here, because the run is of another agent. */
  readonly state: `sha256:${string}` | null;
}

/** Reads everything that runs have left and holds each byte of it to its hash. */
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
    const frames = await tried(() => journal.load(run_id));
    if (Fault.is(frames)) {
      if (frames.code === 'session_pruned') counts.pruned += 1;
      else note('frame', frames.path ?? '', frames);
      continue;
    }
    counts.frames += frames.length;
    const checkpoints = await tried(() => checkpointsOf(frames));
    const known = Fault.is(checkpoints) ? await byNumber(journal, run_id) : checkpoints;
    for (const { checkpoint_id, state } of known) {
      if (!isCheckpointOf(run_id, checkpoint_id)) continue;
      counts.checkpoints += 1;
      const stored = await tried(() => journal.checkpoint(checkpoint_id));
      if (Fault.is(stored)) note('checkpoint', checkpoint_id, stored);
      else if (state !== null && stored.row.address !== state)
        note('checkpoint', checkpoint_id, otherContent(checkpoint_id));
    }
    const blobs = await tried(() => blobsOf(journal, frames));
    if (Fault.is(blobs)) {
      note('blob', '', blobs);
      continue;
    }
    counts.blobs += blobs.length;
    for (const blob of blobs) if ('fault' in blob) note('blob', blob.address, blob.fault);
  }
  return { runs: runIds.length, ...counts, damaged };
}

/** Checkpoints are counted, so the last one says which others there are. */
async function byNumber(journal: Journal, runId: string): Promise<readonly Checkpointed[]> {
  const last = (await journal.latestCheckpoint(runId))?.checkpoint_id ?? '';
  const count = Number(last.slice(`ck_${runId}_`.length));
  if (!last.startsWith(`ck_${runId}_`) || !Number.isSafeInteger(count)) return [];
  return Array.from({ length: count }, (_, place) => ({ checkpoint_id: `ck_${runId}_${place + 1}`, state: null }));
}

const otherContent = (id: string): Fault =>
  new Fault('checkpoint_corrupt', `${id} is stored with another content than its verdict leads to`);

async function tried<T>(work: () => Promise<T>): Promise<T | Fault> {
  try {
    return await work();
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
}
