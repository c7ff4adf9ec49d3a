import { z } from 'zod';
import { PLAN_VERDICTS, type PlanVerdict, STEP_VERDICTS, StepScore, type StepVerdict } from '../critic/verdict.ts';
import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';
import { canonicalize } from '../json/canonical.ts';
import { exact, exactObject } from '../json/exact.ts';
import type { Hash } from '../json/hash.ts';
import { Name } from '../json/name.ts';
import { type History, HistoryRef, historyBetween, NO_HISTORY, nextHistory } from './history.ts';

/** The verdict that a checkpoint records: every plan verdict and every step verdict is checkpointed. */
export type CheckpointVerdict = PlanVerdict | StepVerdict;
export const CheckpointVerdict: z.ZodType<CheckpointVerdict> = exact(z.enum([...PLAN_VERDICTS, ...STEP_VERDICTS]));

/** The part of a checkpoint that does not grow with the run. */
interface CheckpointHead {
  readonly run_id: string;
  readonly sequence: number;
  readonly plan_id: string | null;
  readonly after_step: string | null;
  /** Null only in the checkpoint of a run that ended without a verdict, for example by expiry. */
  readonly critic_verdict: CheckpointVerdict | null;
  readonly next_step: string | null;
  /** One consistent snapshot of all accumulators; null before the run has a budget. */
  readonly budget: Readonly<Record<string, number>> | null;
  readonly terminal: boolean;
}
const head = {
  run_id: Name,
  sequence: z.int().positive(),
  plan_id: Name.nullable(),
  after_step: Name.nullable(),
  critic_verdict: CheckpointVerdict.nullable(),
  next_step: Name.nullable(),
  budget: z.record(Name, z.number()).nullable(),
  terminal: z.boolean(),
};

/** A checkpoint as stored. It refers to the lists, so its size does not grow with the run. */
export interface StoredCheckpoint extends CheckpointHead {
  readonly history: HistoryRef;
}
export const StoredCheckpoint: z.ZodType<StoredCheckpoint> = exactObject({ ...head, history: HistoryRef });

/** A checkpoint as read, with the full history up to it. */
export interface Checkpoint extends CheckpointHead, History {}
export const Checkpoint: z.ZodType<Checkpoint> = exactObject({
  ...head,
  tool_transcripts: z.array(Name),
  evidence_refs: z.array(Name),
  step_scores: z.array(StepScore),
});

/**
 * Expands all checkpoints of a run, oldest first, from the lists of the run. The lists may have grown since; a list
 * that differs from the one a checkpoint was made from is refused.
 */
export const expandCheckpoints: (
  stored: readonly StoredCheckpoint[],
  lists: History,
  hash: Hash,
) => readonly Checkpoint[] = guardInput(
  'expandCheckpoints',
  (stored: readonly StoredCheckpoint[], lists: History, hash: Hash): readonly Checkpoint[] => {
    let before = NO_HISTORY;
    return stored.map(({ history, ...rest }) => {
      const made = nextHistory(hash, before, historyBetween(lists, before, history));
      before = history;
      if (canonicalize({ ...made }) === canonicalize({ ...history })) {
        return { ...rest, ...historyBetween(lists, NO_HISTORY, history) };
      }
      throw new Fault('checkpoint_corrupt', `checkpoint ${rest.sequence} of ${rest.run_id} was made of other lists`, {
        path: '/history',
      });
    });
  },
);

/** Whether this run made the checkpoint. A fork keeps its parent's checkpoints under the parent's run id. */
export const isCheckpointOf = (runId: string, checkpointId: string): boolean => {
  const prefix = `ck_${runId}_`;
  return checkpointId.startsWith(prefix) && /^\d+$/.test(checkpointId.slice(prefix.length));
};
