import type { RunEvent } from '../model/event.ts';
import type { Handoff } from '../model/handoff.ts';
import type { VerdictEnvelope } from '../model/verdict.ts';
import { plansOf, transcriptsOf, unheardOf } from './transcripts.ts';

/** Everything the person needs to whom a run was last handed over; null for a run that never was. */
export function handoffOf(runId: string, events: readonly RunEvent[], verdict: VerdictEnvelope | null): Handoff | null {
  const escalated = events.findLast((event) => event.type === 'run_escalated');
  if (escalated === undefined) return null;
  return {
    run_id: runId,
    escalation: escalated.escalation,
    plan: plansOf(events).at(-1) ?? null,
    transcripts: transcriptsOf(runId, events),
    unheard: unheardOf(runId, events),
    verdict,
  };
}
