import { z } from 'zod';
import { PLAN_VERDICTS, type PlanVerdict, STEP_VERDICTS, StepScore, type StepVerdict } from '../critic/verdict.ts';
import { Fault } from '../fault/fault.ts';
import { canonicalize } from '../json/canonical.ts';
import { exact, exactObject } from '../json/exact.ts';
import type { Hash } from '../json/hash.ts';
import type { Json } from '../json/json.ts';
import { Name } from '../json/name.ts';

/** The append-only lists of a run. */
export interface History {
  readonly tool_transcripts: readonly string[];
  readonly evidence_refs: readonly string[];
  readonly step_scores: readonly StepScore[];
}

/** The length of each list and one hash over all of them. Its size does not depend on the length of the run. */
export interface HistoryRef {
  readonly tool_transcripts: number;
  readonly evidence_refs: number;
  readonly step_scores: number;
  readonly root: string;
}
export const HistoryRef: z.ZodType<HistoryRef> = exactObject({
  tool_transcripts: z.int().nonnegative(),
  evidence_refs: z.int().nonnegative(),
  step_scores: z.int().nonnegative(),
  root: z.string().regex(/^([0-9a-f]{64})?$/, 'must be empty or 64 lower-case hex digits'),
});

/** The reference to the empty history that every run starts with. */
export const NO_HISTORY: HistoryRef = Object.freeze({
  tool_transcripts: 0,
  evidence_refs: 0,
  step_scores: 0,
  root: '',
});

/** Appends to a history. Each root covers the previous one, so a changed, moved or missing entry is detected. */
export function nextHistory(hash: Hash, before: HistoryRef, added: History): HistoryRef {
  const { tool_transcripts, evidence_refs, step_scores } = added;
  const text = canonicalize([tool_transcripts, evidence_refs, step_scores] as unknown as Json);
  return {
    evidence_refs: before.evidence_refs + evidence_refs.length,
    root: hash(`${before.root}\n${text}`),
    step_scores: before.step_scores + step_scores.length,
    tool_transcripts: before.tool_transcripts + tool_transcripts.length,
  };
}

/** Returns the entries that were appended between two references. */
export function historyBetween(lists: History, before: HistoryRef, after: HistoryRef): History {
  return {
    tool_transcripts: lists.tool_transcripts.slice(before.tool_transcripts, after.tool_transcripts),
    evidence_refs: lists.evidence_refs.slice(before.evidence_refs, after.evidence_refs),
    step_scores: lists.step_scores.slice(before.step_scores, after.step_scores),
  };
}

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

/** Whether this run made the checkpoint. A fork keeps its parent's checkpoints under the parent's run id. */
export const isCheckpointOf = (runId: string, checkpointId: string): boolean => {
  const prefix = `ck_${runId}_`;
  return checkpointId.startsWith(prefix) && /^\d+$/.test(checkpointId.slice(prefix.length));
};
