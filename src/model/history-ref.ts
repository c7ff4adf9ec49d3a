import { z } from 'zod';
import { canonicalize } from './canonical.ts';
import type { Hash } from './hash.ts';
import type { Json } from './json.ts';
import type { StepScore } from './verdict.ts';

/** The lists of a run that only grow. */
export interface History {
  readonly tool_transcripts: readonly string[];
  readonly evidence_refs: readonly string[];
  readonly step_scores: readonly StepScore[];
}

/** How far each list goes, and one hash over all of them: a few bytes, however long they are. */
export interface HistoryRef {
  readonly tool_transcripts: number;
  readonly evidence_refs: number;
  readonly step_scores: number;
  readonly root: string;
}
export const HistoryRef: z.ZodType<HistoryRef> = z.strictObject({
  tool_transcripts: z.int().nonnegative(),
  evidence_refs: z.int().nonnegative(),
  step_scores: z.int().nonnegative(),
  root: z.string().regex(/^([0-9a-f]{64})?$/, 'must be empty or 64 lower-case hex digits'),
});

/** Where every run begins. */
export const NO_HISTORY: HistoryRef = Object.freeze({
  tool_transcripts: 0,
  evidence_refs: 0,
  step_scores: 0,
  root: '',
});

/** The reference after some more of each. A root covers the one before, so nothing can be changed, moved or left out. */
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

/** What came between two references. */
export function historyBetween(lists: History, before: HistoryRef, after: HistoryRef): History {
  return {
    tool_transcripts: lists.tool_transcripts.slice(before.tool_transcripts, after.tool_transcripts),
    evidence_refs: lists.evidence_refs.slice(before.evidence_refs, after.evidence_refs),
    step_scores: lists.step_scores.slice(before.step_scores, after.step_scores),
  };
}
