import type { z } from 'zod';
import { exactObject } from '../../json/exact.ts';
import { Pointer } from '../../json/pointer.ts';
import { Permitted } from './operation.ts';

/** The arguments of a review request: reason, queue, severity and evidence. */
export interface ReviewQueueRules {
  readonly reason: string;
  readonly queue: Permitted;
  readonly severity: Permitted;
  readonly evidence: string;
}
export const ReviewQueueRules: z.ZodType<ReviewQueueRules> = exactObject({
  reason: Pointer,
  queue: Permitted,
  severity: Permitted,
  evidence: Pointer,
});
