import { z } from 'zod';
import { Endpoint, EscalationTrigger } from './escalation.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Instant, Name, Text } from './name.ts';
import { Stop } from './stop.ts';

/** What a reviewer has before them. */
export interface ReviewItem {
  readonly state: JsonObject;
  /** The newest evidence of each type, by its id. */
  readonly evidence: JsonObject;
  /** The answer to be released, where there is one; otherwise what is done until somebody has decided. */
  readonly recommendation: string;
}
const ReviewItem: z.ZodType<ReviewItem> = z.strictObject({
  state: JsonRecord,
  evidence: JsonRecord,
  recommendation: Text,
});

/** A run that was handed over, before whoever has authority now: why, how it stands, and what it has left. */
export interface HandoverPacket {
  /** More budget, what became of a call, or a judgement. */
  readonly kind: 'budget' | 'in_doubt' | 'review';
  readonly run_id: string;
  readonly escalation_id: string;
  readonly step_id: string | null;
  readonly trigger: EscalationTrigger;
  /** With what the run ends if nobody decides. */
  readonly stop: Stop;
  readonly refs: readonly string[];
  /** For a judgement: how the work stands, what it rests on, and what is put forward. */
  readonly review?: ReviewItem;
  /** Limits and what was used of them; null before the run had any. */
  readonly budget: JsonObject | null;
  readonly requested_by: string;
  readonly requested_from: Endpoint;
  readonly expires_at: Instant;
}
export const HandoverPacket: z.ZodType<HandoverPacket> = z.strictObject({
  kind: z.enum(['budget', 'in_doubt', 'review']),
  run_id: Name,
  escalation_id: Name,
  step_id: Name.nullable(),
  trigger: EscalationTrigger,
  stop: Stop,
  refs: z.array(Name),
  review: ReviewItem.exactOptional(),
  budget: JsonRecord.nullable(),
  requested_by: Name,
  requested_from: Endpoint,
  expires_at: Instant,
});

/** A question to the user: what is missing, or between which readings to choose. Nothing is guessed meanwhile. */
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
export const QuestionPacket: z.ZodType<QuestionPacket> = z.strictObject({
  kind: z.literal('question'),
  run_id: Name,
  question_id: Name,
  task: Text,
  fields: z.array(z.string()),
  readings: z.array(z.string()),
  requested_from: Endpoint,
  expires_at: Instant,
});
