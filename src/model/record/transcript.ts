import { z } from 'zod';
import { exact } from '../json/exact.ts';
import { Instant, Name } from '../json/name.ts';
import { ToolCall, ToolResult } from '../tool/tool.ts';

/**
 * The call of a step and its answer, sufficient to judge the step again without the tool. A retried step has one
 * transcript per attempt, because transcripts are immutable.
 */
export interface Transcript {
  readonly transcript_id: string;
  readonly run_id: string;
  readonly plan_id: string;
  readonly step_id: string;
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly sent_at: Instant;
  readonly received_at: Instant;
}
export const Transcript: z.ZodType<Transcript> = exact(
  z
    .strictObject({
      transcript_id: Name,
      run_id: Name,
      plan_id: Name,
      step_id: Name,
      call: ToolCall,
      result: ToolResult,
      sent_at: Instant,
      received_at: Instant,
    })
    .refine(({ call, step_id }) => call.step_id === step_id, {
      message: 'must be a call of this step',
      path: ['call', 'step_id'],
    })
    .refine(({ call, result }) => call.call_id === result.call_id, {
      message: 'must answer the call of this transcript',
      path: ['result', 'call_id'],
    })
    .refine(({ sent_at, received_at }) => sent_at <= received_at, {
      message: 'cannot be received before it was sent',
      path: ['received_at'],
    }),
);
