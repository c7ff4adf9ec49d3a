import { z } from 'zod';
import { exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Name, Statement, Text } from '../json/name.ts';
import { hasPlaceholder, type Plan } from './plan.ts';

/** A single tool call that is the entire run. There is no planner and no fallback. */
export interface SingleCall {
  readonly tool: string;
  readonly args: JsonObject;
}
export const SingleCall: z.ZodType<SingleCall> = exactObject({
  tool: Name,
  args: JsonRecord.refine((args) => !hasPlaceholder(args), 'must hold values only: no binding and no draft'),
});

/** The id of the only step. */
export const CALL_STEP = 'call';

/** Builds the plan of a single call. All its values come from the requester. */
export function planOfCall({ tool, args }: SingleCall, intent: string): Plan {
  return { plan_id: 'single_call', intent, steps: [{ id: CALL_STEP, tool, params: args }], decision_checkpoints: [] };
}

/** A run with failed `secondary` criteria may end in partial success; it needs every `primary` criterion. */
export const CRITERION_RANKS = ['primary', 'secondary'] as const;
export type CriterionRank = (typeof CRITERION_RANKS)[number];

/** A condition that must be proven before the goal counts as reached. */
export interface AcceptanceCriterion {
  readonly id: string;
  readonly statement: string;
  readonly rank: CriterionRank;
  /** The evidence type that proves the criterion; absent if only an evaluator can judge it. */
  readonly evidence?: string;
}
export const AcceptanceCriterion: z.ZodType<AcceptanceCriterion> = exactObject({
  id: Name,
  statement: Statement,
  rank: z.enum(CRITERION_RANKS),
  evidence: Name.exactOptional(),
});

/**
 * The criterion of an intent that declares none. The planner proposes the end, and the completion check permits it; see
 * ADR 0058.
 */
export const REQUEST_ANSWERED: AcceptanceCriterion = Object.freeze({
  id: 'request_answered',
  statement: 'Every part of the request is answered.',
  rank: 'primary',
});

/** Whether a proposed end of the run meets this criterion. */
export const isMetByAnswer = ({ id, evidence }: AcceptanceCriterion): boolean =>
  id === REQUEST_ANSWERED.id && evidence === undefined;

/** The criteria of a goal: unique ids, at least one of them `primary`. */
export const AcceptanceCriteria: z.ZodType<readonly AcceptanceCriterion[]> = z
  .array(AcceptanceCriterion)
  .refine((criteria) => new Set(criteria.map(({ id }) => id)).size === criteria.length, 'must have distinct ids')
  .refine((criteria) => criteria.some(({ rank }) => rank === 'primary'), 'must hold a primary criterion');

/** The goal of a run. Intake creates it once and it never changes; drift is measured against it. */
export interface Goal {
  readonly goal_id: string;
  readonly statement: string;
  readonly intent: string;
  readonly acceptance_criteria: readonly AcceptanceCriterion[];
  /** Required inputs. If one is missing, the run asks for it instead of guessing. */
  readonly required_fields?: readonly string[];
  /** Sensitive data scopes the run has to read. A person releases each of them first. */
  readonly data_scopes?: readonly string[];
  /** Present if the run makes a single tool call. */
  readonly call?: SingleCall;
}
/** The fields in the order in which a journal stores them. */
const FIELDS = {
  goal_id: Name,
  statement: Statement,
  intent: Name,
  acceptance_criteria: AcceptanceCriteria,
  required_fields: z.array(Name).exactOptional(),
  data_scopes: z.array(Name).exactOptional(),
  call: SingleCall.exactOptional(),
};
export const Goal: z.ZodType<Goal> = exactObject(FIELDS);

/** A goal as `goal_received` records it. A blank statement is recorded too; the run then ends with MISSING_INFO. */
export const ReceivedGoal: z.ZodType<Goal> = exactObject({ ...FIELDS, statement: Text });
