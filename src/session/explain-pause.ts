import type { RunState } from '../kernel/index.ts';
import type { EventOf } from '../model/events/event.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import type { Journal } from '../ports/journal/journal.ts';

const NOTHING: readonly string[] = Object.freeze([]);

/** Why a session is paused, and what resumes it; empty for a session that is not paused or was handed over. */
export function whyPaused({ session, ending }: RunState, reason: string | null): readonly string[] {
  const { status, pause } = session;
  if (ending.terminal !== null || status !== 'paused' || pause === null) return NOTHING;
  const { cause, by, resumesAt } = pause;
  if (cause === 'heartbeat_lost') return [`nothing was heard of it for two heartbeats: ${OPERATOR}`];
  if (cause !== 'operator') return NOTHING;
  const because = reason === null ? ', and gave no reason' : ` (${JSON.stringify(reason)})`;
  return resumesAt === undefined
    ? [`${by} has paused it${because}: ${OPERATOR}`]
    : [`${by} has interrupted it${because}: it goes on with whoever drives sessions next`];
}

const OPERATOR = 'it goes on when an operator lets it';

/** The reason that the operator gave for the pause. It is in the journal and affects no decision. */
export async function pausedFor(journal: Pick<Journal, 'load'>, { id, session }: RunState): Promise<string | null> {
  if (session.status !== 'paused' || session.pause?.cause !== 'operator') return null;
  const paused = (await journal.load(id.runId))
    .flatMap(frameEvents)
    .findLast((event): event is EventOf<'run_paused'> => event.type === 'run_paused');
  return paused?.reason ?? null;
}
