import { z } from 'zod';
import { canonicalize } from './canonical.ts';
import { Fault } from './fault.ts';
import type { Hash } from './hash.ts';
import { type History, HistoryRef, historyBetween, NO_HISTORY, nextHistory } from './history-ref.ts';
import { Name } from './name.ts';
import { PLAN_VERDICTS, type PlanVerdict, STEP_VERDICTS, StepScore, type StepVerdict } from './verdict.ts';

/** Every verdict of either kind is checkpointed. */
export type CheckpointVerdict = PlanVerdict | StepVerdict;
export const CheckpointVerdict: z.ZodType<CheckpointVerdict> = z.enum([...PLAN_VERDICTS, ...STEP_VERDICTS]);

/** What a checkpoint says in a few bytes, however long the run is. */
interface CheckpointHead {
  readonly run_id: string;
  readonly sequence: number;
  readonly plan_id: string | null;
  readonly after_step: string | null;
  /** Null only in the checkpoint of an end that no verdict brought, such as expiry. */
  readonly critic_verdict: CheckpointVerdict | null;
  readonly next_step: string | null;
  /** One consistent snapshot of all accumulators; null before there was a budget. */
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

/** As stored and addressed: the lists are named, not held, so that the size does not grow with the run. */
export interface StoredCheckpoint extends CheckpointHead {
  readonly history: HistoryRef;
}
export const StoredCheckpoint: z.ZodType<StoredCheckpoint> = z.strictObject({ ...head, history: HistoryRef });

/** As read: everything gathered so far. */
export interface Checkpoint extends CheckpointHead, History {}
export const Checkpoint: z.ZodType<Checkpoint> = z.strictObject({
  ...head,
  tool_transcripts: z.array(Name),
  evidence_refs: z.array(Name),
  step_scores: z.array(StepScore),
});

/**
 * Reads the checkpoints of a run, oldest first and none left out, against its lists, which may have grown since; lists
 * that are not the ones a checkpoint was made from are refused.
 */
export function expandCheckpoints(
  stored: readonly StoredCheckpoint[],
  lists: History,
  hash: Hash,
): readonly Checkpoint[] {
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
}
