import { z } from 'zod';
import type { StepScore } from '../critic/verdict.ts';
import { canonicalize } from '../json/canonical.ts';
import { exactObject } from '../json/exact.ts';
import type { Hash } from '../json/hash.ts';
import type { Json } from '../json/json.ts';

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
