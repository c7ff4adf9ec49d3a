import { z } from 'zod';
import { canonicalize } from './canonical.ts';
import { Fault } from './fault.ts';
import type { Hash } from './hash.ts';
import { ListRef, matchesList } from './list-ref.ts';
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

/** As stored and addressed: a list is named by how far it goes and by its root, so the size does not grow with the run. */
export interface StoredCheckpoint extends CheckpointHead {
  readonly tool_transcripts: ListRef;
  readonly evidence_refs: ListRef;
  readonly step_scores: ListRef;
}
export const StoredCheckpoint: z.ZodType<StoredCheckpoint> = z.strictObject({
  ...head,
  tool_transcripts: ListRef,
  evidence_refs: ListRef,
  step_scores: ListRef,
});

/** As read: everything gathered so far. */
export interface Checkpoint extends CheckpointHead {
  readonly tool_transcripts: readonly string[];
  readonly evidence_refs: readonly string[];
  readonly step_scores: readonly StepScore[];
}
export const Checkpoint: z.ZodType<Checkpoint> = z.strictObject({
  ...head,
  tool_transcripts: z.array(Name),
  evidence_refs: z.array(Name),
  step_scores: z.array(StepScore),
});

/** The lists of the run that a checkpoint points into; they may have grown since. */
export interface CheckpointLists {
  readonly tool_transcripts: readonly string[];
  readonly evidence_refs: readonly string[];
  readonly step_scores: readonly StepScore[];
}

/** Reads a stored checkpoint against the lists of its run, and refuses lists that are not the ones it was made from. */
export function expandCheckpoint(stored: StoredCheckpoint, lists: CheckpointLists, hash: Hash): Checkpoint {
  const tool_transcripts = lists.tool_transcripts.slice(0, stored.tool_transcripts.upto);
  const evidence_refs = lists.evidence_refs.slice(0, stored.evidence_refs.upto);
  const step_scores = lists.step_scores.slice(0, stored.step_scores.upto);
  const texts: Readonly<Record<keyof CheckpointLists, readonly string[]>> = {
    tool_transcripts,
    evidence_refs,
    step_scores: step_scores.map(scoreText),
  };
  for (const field of ['tool_transcripts', 'evidence_refs', 'step_scores'] as const) {
    if (matchesList(stored[field], texts[field], hash)) continue;
    throw new Fault('checkpoint_corrupt', `checkpoint ${stored.sequence} of ${stored.run_id} was made of other lists`, {
      path: `/${field}`,
    });
  }
  return { ...stored, tool_transcripts, evidence_refs, step_scores };
}

/** What the root of the step scores is made of, one text per score. */
export function scoreText(score: StepScore): string {
  return canonicalize({ ...score });
}
