import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Instant, Name } from '../json/name.ts';

/**
 * The author of a part of a thread. `other` answered a question in place of the requester; `digest` is a summary of older parts, by a
 * model or of their beginnings; `ending` is the terminal code of a run.
 */
export const THREAD_AUTHORS = ['requester', 'agent', 'other', 'digest', 'ending'] as const;
export type ThreadAuthor = (typeof THREAD_AUTHORS)[number];

/** A part of a message or of an answer, all of whose text has the same source. */
export interface ThreadPart {
  readonly run_id: string;
  readonly at: number;
  readonly by: ThreadAuthor;
  readonly text: string;
  /** False if the text may rest on words of outsiders. It never becomes true later. */
  readonly trusted: boolean;
  /** The tools whose results the text rests on. */
  readonly sources: readonly string[];
}
export const ThreadPart: z.ZodType<ThreadPart> = exactObject({
  run_id: Name,
  at: Instant,
  by: z.enum(THREAD_AUTHORS),
  text: z.string(),
  trusted: z.boolean(),
  sources: z.array(Name),
});

/** The amounts that the runs of a thread use together. Costs are in millionths of a dollar. */
export interface ThreadUse {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microusd: number;
  readonly tool_calls: number;
  readonly side_effects: number;
}
export const ThreadUse: z.ZodType<ThreadUse> = exactObject({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  cost_microusd: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  side_effects: z.int().nonnegative(),
});

/** The limits of a thread, named like those of a run. They count the messages and the amounts of all its runs. */
export interface ThreadLimits {
  readonly runs_max?: number;
  readonly input_tokens_max?: number;
  readonly output_tokens_max?: number;
  readonly inference_cost_usd_max?: number;
  readonly tool_calls_max?: number;
  readonly side_effects_max?: number;
}
export const ThreadLimits: z.ZodType<ThreadLimits> = exactObject({
  runs_max: z.int().positive().exactOptional(),
  input_tokens_max: z.int().nonnegative().exactOptional(),
  output_tokens_max: z.int().nonnegative().exactOptional(),
  inference_cost_usd_max: z.number().nonnegative().exactOptional(),
  tool_calls_max: z.int().nonnegative().exactOptional(),
  side_effects_max: z.int().nonnegative().exactOptional(),
});

export const THREAD_LIMITS: readonly (keyof ThreadLimits)[] = [
  'runs_max',
  'input_tokens_max',
  'output_tokens_max',
  'inference_cost_usd_max',
  'tool_calls_max',
  'side_effects_max',
];

/** The thread of a run, as its manifest records it: the runs before it, and the amounts that they have used. */
export interface ThreadPlace {
  readonly id: string;
  readonly runs: readonly string[];
  readonly used: ThreadUse;
  /** Absent if the agent limits no threads. */
  readonly limits?: ThreadLimits;
}
export const ThreadPlace: z.ZodType<ThreadPlace> = exactObject({
  id: Name,
  runs: z.array(Name),
  used: ThreadUse,
  limits: ThreadLimits.exactOptional(),
});

/** Words of the requester in an earlier run. */
export interface EarlierWords {
  readonly run_id: string;
  readonly text: string;
}

/** The part of a thread's history that decides: recorded with the run, so that a replay needs no other run. */
export interface RunHistory {
  readonly said: readonly EarlierWords[];
  /** Hashes of the arguments of calls that earlier runs have put forward. Earlier words grant none of these calls. */
  readonly cleared: readonly string[];
  /** The size of the earlier messages in the context, in tokens. */
  readonly tokens: number;
}
export const RunHistory: z.ZodType<RunHistory> = exactObject({
  said: z.array(z.strictObject({ run_id: Name, text: z.string() })),
  cleared: z.array(z.string()),
  tokens: z.int().nonnegative(),
});

/** The history of a thread: its runs so far, and all that the next run has to know about them. */
export interface ThreadHistory extends Pick<ThreadPlace, 'id' | 'runs' | 'used'>, Pick<RunHistory, 'said' | 'cleared'> {
  readonly parts: readonly ThreadPart[];
}
