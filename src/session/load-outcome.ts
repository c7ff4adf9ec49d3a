import type { RunState } from '../kernel/index.ts';
import type { EventOf } from '../model/events/event.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { AgentCapabilities } from './explain-outcome.ts';
import { type RunOutcome, runOutcome, type UncertainCall } from './outcome.ts';

/** Builds the outcome of a run with the facts that only its journal has. */
export async function loadOutcome(
  journal: Pick<Journal, 'load'>,
  state: RunState,
  known?: AgentCapabilities,
): Promise<RunOutcome> {
  const found = { pausedFor: await pausedFor(journal, state), doubts: await uncertainCalls(journal, state) };
  return runOutcome(state, known, found);
}

/** The reason that the operator gave for the pause. It is in the journal and affects no decision. */
async function pausedFor(journal: Pick<Journal, 'load'>, { id, session }: RunState): Promise<string | null> {
  if (session.status !== 'paused' || session.pause?.cause !== 'operator') return null;
  const paused = (await journal.load(id.runId))
    .flatMap(frameEvents)
    .findLast((event): event is EventOf<'run_paused'> => event.type === 'run_paused');
  return paused?.reason ?? null;
}

const NONE: readonly UncertainCall[] = Object.freeze([]);

/** The calls that may have had their effect and about which no person has decided. */
async function uncertainCalls(journal: Pick<Journal, 'load'>, state: RunState): Promise<readonly UncertainCall[]> {
  const open = Object.entries(state.work.doubts).filter(([, { decided }]) => !decided);
  const lost = (state.ending.rollback?.settled ?? []).filter(
    ({ outcome, reason }) => outcome === 'unknown' && reason === 'call_in_doubt',
  );
  if (open.length === 0 && lost.length === 0) return NONE;
  const sent = (await journal.load(state.id.runId))
    .flatMap(frameEvents)
    .filter((event): event is EventOf<'step_attempted'> => event.type === 'step_attempted');
  const found = new Map<string, UncertainCall>();
  for (const [name, { key, since }] of open) {
    const call = sent.find(({ idempotency_key }) => idempotency_key === key);
    // The call of another run of the family has no intent in this journal.
    const tool = call?.tool ?? name.slice(0, name.lastIndexOf(' '));
    found.set(call?.call_id ?? name, { tool, stepId: call?.step_id ?? null, callId: call?.call_id ?? null, since });
  }
  for (const { call_id: callId, step_id: stepId, tool } of lost) {
    const since = sent.find(({ call_id }) => call_id === callId)?.at ?? state.now;
    if (!found.has(callId)) found.set(callId, { tool, stepId, callId, since });
  }
  return [...found.values()];
}
