import { z } from 'zod';
import { EscalationEvent } from './escalation.ts';
import { Name } from './name.ts';
import { Plan } from './plan.ts';
import { ToolCall } from './tool.ts';
import { Transcript } from './transcript.ts';
import { VerdictEnvelope } from './verdict.ts';

/** What a person receives together with the authority: the whole plan, all that was done, the verdict so far. */
export interface Handoff {
  readonly run_id: string;
  readonly escalation: EscalationEvent;
  /** Null when the run was handed over before it had a plan, or a verdict. */
  readonly plan: Plan | null;
  readonly transcripts: readonly Transcript[];
  /** Calls that were made and that nobody has heard of, as when a process dies: with what, and under which key. */
  readonly unheard: readonly ToolCall[];
  readonly verdict: VerdictEnvelope | null;
}
export const Handoff: z.ZodType<Handoff> = z.strictObject({
  run_id: Name,
  escalation: EscalationEvent,
  plan: Plan.nullable(),
  transcripts: z.array(Transcript),
  unheard: z.array(ToolCall),
  verdict: VerdictEnvelope.nullable(),
});
