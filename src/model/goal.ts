import { z } from 'zod';
import { Name, Statement } from './name.ts';
import { SingleCall } from './single-call.ts';

/** `secondary` work may fail and leave a partial success; without every `primary` criterion there is none at all. */
export const CRITERION_RANKS = ['primary', 'secondary'] as const;
export type CriterionRank = (typeof CRITERION_RANKS)[number];

/** One thing that must be shown true before the goal counts as reached. */
export interface AcceptanceCriterion {
  readonly id: string;
  readonly statement: string;
  readonly rank: CriterionRank;
  /** The evidence type that proves it; absent where only an evaluator can judge. */
  readonly evidence?: string;
}
export const AcceptanceCriterion: z.ZodType<AcceptanceCriterion> = z.strictObject({
  id: Name,
  statement: Statement,
  rank: z.enum(CRITERION_RANKS),
  evidence: Name.exactOptional(),
});

/** All that must be shown: told apart by id, and at least one of them is what the goal is about. */
export const AcceptanceCriteria: z.ZodType<readonly AcceptanceCriterion[]> = z
  .array(AcceptanceCriterion)
  .refine((criteria) => new Set(criteria.map(({ id }) => id)).size === criteria.length, 'must have distinct ids')
  .refine((criteria) => criteria.some(({ rank }) => rank === 'primary'), 'must hold a primary criterion');

/** What a run is for. Made once at the front door and never changed: a run that drifts is measured against it. */
export interface Goal {
  readonly goal_id: string;
  readonly statement: string;
  readonly intent: string;
  readonly acceptance_criteria: readonly AcceptanceCriterion[];
  /** Inputs without which the run asks instead of guessing. */
  readonly required_fields?: readonly string[];
  /** Sensitive data that it has to read: a person opens each of these scopes first. */
  readonly data_scopes?: readonly string[];
  /** Present where the run is for one call of one tool. */
  readonly call?: SingleCall;
}
export const Goal: z.ZodType<Goal> = z.strictObject({
  goal_id: Name,
  statement: Statement,
  intent: Name,
  acceptance_criteria: AcceptanceCriteria,
  required_fields: z.array(Name).exactOptional(),
  data_scopes: z.array(Name).exactOptional(),
  call: SingleCall.exactOptional(),
});
