import { z } from 'zod';
import { Stop } from '../fault/terminal-code.ts';
import { exactObject, JsonRecord } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { CallInDoubt } from './call-in-doubt.ts';
import { Endpoint, EscalationTrigger } from './escalation.ts';

/** The material of a review. */
export interface ReviewItem {
  readonly state: JsonObject;
  /** The newest evidence of each type, by its id. */
  readonly evidence: JsonObject;
  /** The answer to be released; without one, the interim measure until a decision. */
  readonly recommendation: string;
}
const ReviewItem: z.ZodType<ReviewItem> = exactObject({
  state: JsonRecord,
  evidence: JsonRecord,
  recommendation: Text,
});

/**
 * A run that was handed over, as shown to the person who now decides: the reason, its state and its remaining budget.
 */
export interface HandoverPacket {
  /** A decision on more budget, the outcome of a call, or a judgement. */
  readonly kind: 'budget' | 'in_doubt' | 'review';
  readonly run_id: string;
  readonly escalation_id: string;
  readonly step_id: string | null;
  readonly trigger: EscalationTrigger;
  /** The stop with which the run ends if there is no decision. */
  readonly stop: Stop;
  readonly refs: readonly string[];
  /** Only for a judgement: the state of the work, its evidence, and the recommendation. */
  readonly review?: ReviewItem;
  /** Limits and usage; null before the run had a budget. */
  readonly budget: JsonObject | null;
  /** The calls of this run that may have had their effect. Absent if there are none. */
  readonly calls_in_doubt?: readonly CallInDoubt[];
  readonly requested_by: string;
  readonly requested_from: Endpoint;
  readonly expires_at: Instant;
}
export const HandoverPacket: z.ZodType<HandoverPacket> = exactObject({
  kind: z.enum(['budget', 'in_doubt', 'review']),
  run_id: Name,
  escalation_id: Name,
  step_id: Name.nullable(),
  trigger: EscalationTrigger,
  stop: Stop,
  refs: z.array(Name),
  review: ReviewItem.exactOptional(),
  budget: JsonRecord.nullable(),
  calls_in_doubt: z.array(CallInDoubt).exactOptional(),
  requested_by: Name,
  requested_from: Endpoint,
  expires_at: Instant,
});

/** A question to the user: missing fields, or readings to choose from. The run waits instead of guessing. */
export interface QuestionPacket {
  readonly kind: 'question';
  readonly run_id: string;
  readonly question_id: string;
  readonly task: string;
  readonly fields: readonly string[];
  readonly readings: readonly string[];
  readonly requested_from: Endpoint;
  readonly expires_at: Instant;
}
export const QuestionPacket: z.ZodType<QuestionPacket> = exactObject({
  kind: z.literal('question'),
  run_id: Name,
  question_id: Name,
  task: Text,
  fields: z.array(z.string()),
  readings: z.array(z.string()),
  requested_from: Endpoint,
  expires_at: Instant,
});
