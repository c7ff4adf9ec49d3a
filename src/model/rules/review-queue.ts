import { z } from 'zod';
import { Pointer } from '../pointer.ts';
import { Permitted } from './operation.ts';

/** Where a call that asks people to look at something says why, where, how urgent, and on what. */
export interface ReviewQueueRules {
  readonly reason: string;
  readonly queue: Permitted;
  readonly severity: Permitted;
  readonly evidence: string;
}
export const ReviewQueueRules: z.ZodType<ReviewQueueRules> = z.strictObject({
  reason: Pointer,
  queue: Permitted,
  severity: Permitted,
  evidence: Pointer,
});
