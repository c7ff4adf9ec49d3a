import { z } from 'zod';
import { ToolCost } from './tool.ts';

/** What a host may set about the pace and the patience of its runs. None of it switches a bound off. */
export interface KernelLimits {
  /** The most one planner call may spend; reserved before it is made. */
  readonly plannerCost: ToolCost;
  /** The most that reading a request may take of a model; null where no model reads it. */
  readonly classifierCost: ToolCost | null;
  /** The most that a reflection or a compression may take of models; null: as much as a plan. */
  readonly reviewerCost: ToolCost | null;
  /** The most that writing the arguments which a plan leaves open may take of models; null where nobody writes any. */
  readonly drafterCost: ToolCost | null;
  /** Below this the intent is asked about rather than guessed. */
  readonly intentConfidence: number;
  readonly gateTtlMs: number;
  /** How long the user has to answer a question, whatever the session has left. */
  readonly questionTtlMs: number;
  /** How long after the intent a call may still be dispatched. */
  readonly dispatchWindowMs: number;
  /** The longest pause before the first retry. It doubles with every failure in a row, and chance shortens it. */
  readonly retryBaseMs: number;
  /** Retries of all steps of a run together. */
  readonly retriesPerRunMax: number;
  /** How long a run leaves a tool alone that has failed it as often as it may; then one call may try. */
  readonly retryCooldownMs: number;
  /** How long after a call that changed something an equal one is taken for a mistake. */
  readonly duplicateWindowMs: number;
  /** A run that must be handed to a person either waits for one or ends with the code of its trigger. */
  readonly onEscalate: 'pause' | 'end';
  /** What is found to be dangerous ends a run, or holds it until security has ended it: it never goes on. */
  readonly onBreach: 'end' | 'hold';
  /** Denials after which privileged proposals are no longer looked at. */
  readonly denialsMax: number;
  /** Calls of all tools together within a minute, beyond which a run is taken to be out of control. */
  readonly callsPerMinuteMax: number;
  readonly contextLimit: number;
  /** Whether a planner lays out the whole work at once or one step at a time. */
  readonly planning: 'whole' | 'stepwise';
  /** Steps that a run which decides one at a time may have carried out before it goes no further. */
  readonly reactStepsMax: number;
  /** Independent steps of a plan that are worked on at once, each in a lane of its own; 1: one after the other. */
  readonly parallelSteps: number;
  /** Lanes that one run may have open at once. */
  readonly laneFanoutMax: number;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

export const KernelLimits: z.ZodType<KernelLimits> = z.strictObject({
  plannerCost: ToolCost,
  classifierCost: ToolCost.nullable(),
  reviewerCost: ToolCost.nullable(),
  drafterCost: ToolCost.nullable(),
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
  planning: z.enum(['whole', 'stepwise']),
  reactStepsMax: z.int().positive().max(10_000),
  parallelSteps: z.int().positive().max(64),
  laneFanoutMax: z.int().positive().max(64),
});
