import { z } from 'zod';
import { VerdictEnvelope } from '../critic/verdict.ts';
import { exactObject } from '../json/exact.ts';
import { Name } from '../json/name.ts';
import { Plan } from '../plan/plan.ts';
import { Transcript } from '../record/transcript.ts';
import { ToolCall } from '../tool/tool.ts';
import { EscalationEvent } from './escalation.ts';

/** The documents a person receives with the authority over a run: plan, transcripts and verdict. */
export interface Handoff {
  readonly run_id: string;
  readonly escalation: EscalationEvent;
  /** Null if the run was handed over before it had a plan or a verdict. */
  readonly plan: Plan | null;
  readonly transcripts: readonly Transcript[];
  /** Calls that were sent and never answered, for example because the process died. */
  readonly unheard: readonly ToolCall[];
  readonly verdict: VerdictEnvelope | null;
}
export const Handoff: z.ZodType<Handoff> = exactObject({
  run_id: Name,
  escalation: EscalationEvent,
  plan: Plan.nullable(),
  transcripts: z.array(Transcript),
  unheard: z.array(ToolCall),
  verdict: VerdictEnvelope.nullable(),
});
