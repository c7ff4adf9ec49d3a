import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { NO_COST, ToolCost } from '../tool/tool.ts';

/** The timing and retry settings that a host may change. None of them disables a bound. */
export interface KernelLimits {
  /** The maximum cost of one planner call, reserved before the call. */
  readonly plannerCost: ToolCost;
  /** The maximum model cost of reading a request; null if no model reads it. */
  readonly classifierCost: ToolCost | null;
  /** The maximum model cost of a reflection or a compression; null for the planner's cost. */
  readonly reviewerCost: ToolCost | null;
  /** The maximum model cost of writing the arguments that a plan leaves open; null if no model writes them. */
  readonly drafterCost: ToolCost | null;
  /** The maximum model cost of composing an answer once; null if no model composes it. */
  readonly composerCost: ToolCost | null;
  /** The maximum model cost of judging sentences that are not provable; null if no model judges them. */
  readonly answerJudgeCost: ToolCost | null;
  /** Below this confidence, the run asks the user about the intent. */
  readonly intentConfidence: number;
  readonly gateTtlMs: number;
  /** The time that the user has to answer a question, regardless of the session's remaining time. */
  readonly questionTtlMs: number;
  /** The time after the intent within which a call may still be dispatched. */
  readonly dispatchWindowMs: number;
  /** The longest pause before the first retry. Every consecutive failure doubles it; random jitter shortens it. */
  readonly retryBaseMs: number;
  /** The maximum number of retries of all steps of a run together. */
  readonly retriesPerRunMax: number;
  /** The time that a run does not call a tool that has used up its retries; then one trial call is allowed. */
  readonly retryCooldownMs: number;
  /** The time after a call that changed something within which an equal call counts as a mistake. */
  readonly duplicateWindowMs: number;
  /** An escalated run either waits for a person or ends with the code of its trigger. */
  readonly onEscalate: 'pause' | 'end';
  /** A dangerous finding ends the run, or holds it until security ends it. The run never continues. */
  readonly onBreach: 'end' | 'hold';
  /** The number of plans denied for a missing right after which the run escalates with `repeated_denial`. */
  readonly denialsMax: number;
  /** The number of tool calls per minute above which a run counts as out of control. */
  readonly callsPerMinuteMax: number;
  readonly contextLimit: number;
  /** The part of the context cap, or of `contextLimit` if that is smaller, above which the context is compressed. */
  readonly compressAbove: number;
  /**
   * The size above which the earlier messages of a thread are compressed before the first plan. Absent in runs from
   * before the limit: their history counts as any other context.
   */
  readonly historyTokensMax?: number;
  /** The planner plans all steps at once or one step at a time. */
  readonly planning: 'whole' | 'stepwise';
  /** The maximum number of executed steps of a run that plans one step at a time. */
  readonly reactStepsMax: number;
  /** The number of independent steps of a plan that run in parallel, each in its own lane; 1 runs them in sequence. */
  readonly parallelSteps: number;
  /** The maximum number of open lanes of one run. */
  readonly laneFanoutMax: number;
  /** The shortest and the longest planner time limit; 5 to 30 seconds if absent. The manifest of a run records it. */
  readonly plannerTimeoutRangeMs?: TimeoutRangeMs;
}

/** The shortest and the longest permitted time limit, such as `[5_000, 120_000]`. */
export type TimeoutRangeMs = readonly [shortest: number, longest: number];

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const TimeoutMs = z.int().positive().max(HOUR_MS);
export const TimeoutRangeMs: z.ZodType<TimeoutRangeMs> = z
  .tuple([TimeoutMs, TimeoutMs])
  .refine(([shortest, longest]) => shortest <= longest, 'must begin with the shortest time limit');

export const KernelLimits: z.ZodType<KernelLimits> = exactObject({
  plannerCost: ToolCost,
  classifierCost: ToolCost.nullable(),
  reviewerCost: ToolCost.nullable(),
  drafterCost: ToolCost.nullable(),
  composerCost: ToolCost.nullable(),
  answerJudgeCost: ToolCost.nullable(),
  intentConfidence: z.number().min(0).max(1),
  gateTtlMs: z.int().positive().max(YEAR_MS),
  questionTtlMs: z.int().positive().max(YEAR_MS),
  dispatchWindowMs: z.int().positive().max(HOUR_MS),
  retryBaseMs: z.int().positive().max(HOUR_MS),
  retriesPerRunMax: z.int().nonnegative().max(10_000),
  retryCooldownMs: z.int().positive().max(HOUR_MS),
  duplicateWindowMs: z.int().positive().max(HOUR_MS),
  onEscalate: z.enum(['pause', 'end']),
  onBreach: z.enum(['end', 'hold']),
  denialsMax: z.int().positive().max(1_000),
  callsPerMinuteMax: z.int().positive().max(1_000_000),
  contextLimit: z.int().positive(),
  compressAbove: z.number().positive().max(1),
  historyTokensMax: z.int().positive().exactOptional(),
  planning: z.enum(['whole', 'stepwise']),
  reactStepsMax: z.int().positive().max(10_000),
  parallelSteps: z.int().positive().max(64),
  laneFanoutMax: z.int().positive().max(64),
  plannerTimeoutRangeMs: TimeoutRangeMs.exactOptional(),
});

export const DEFAULT_LIMITS: KernelLimits = Object.freeze({
  plannerCost: NO_COST,
  classifierCost: null,
  reviewerCost: null,
  drafterCost: null,
  composerCost: null,
  answerJudgeCost: null,
  intentConfidence: 0.7,
  gateTtlMs: 3_600_000,
  questionTtlMs: 86_400_000,
  dispatchWindowMs: 5_000,
  retryBaseMs: 200,
  retriesPerRunMax: 100,
  retryCooldownMs: 30_000,
  duplicateWindowMs: 60_000,
  onEscalate: 'pause',
  onBreach: 'end',
  denialsMax: 3,
  callsPerMinuteMax: 3_000,
  contextLimit: 200_000,
  compressAbove: 0.8,
  planning: 'whole',
  reactStepsMax: 100,
  parallelSteps: 1,
  laneFanoutMax: 8,
});
