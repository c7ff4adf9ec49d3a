import { isCheckpointOf } from '../kernel/checkpointing.ts';
import type { Turn } from '../kernel/turn.ts';
import { Fault } from '../model/fault.ts';
import type { Journal } from '../ports/journal.ts';

/**
 * Holds the stored checkpoints of a run to those that its turns lead to: each is there, under the content it must have.
 * Those from before a fork are the parent's, which may be gone by now.
 */
export async function assertCheckpoints(journal: Journal, runId: string, turns: readonly Turn[]): Promise<void> {
  for (const { checkpointId, address } of turns.flatMap(({ checkpoints }) => checkpoints)) {
    if (!isCheckpointOf(runId, checkpointId)) continue;
    const { row } = await journal.checkpoint(checkpointId);
    if (row.address === address) continue;
    throw new Fault('checkpoint_corrupt', `${checkpointId} is stored with another content than its verdict leads to`);
  }
}
