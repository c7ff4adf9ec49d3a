import type { RunState } from '../kernel/state.ts';
import type { EventOf, RunEvent } from '../model/event.ts';
import type { Journal } from '../ports/journal.ts';

const NOTHING: readonly string[] = Object.freeze([]);

/** Why a session stands still that was not handed over, and what lets it go on; nothing of one that does not. */
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

/** The words of whoever pauses a session: they are in its journal, and decide nothing. */
export async function pausedFor(journal: Pick<Journal, 'load'>, { id, session }: RunState): Promise<string | null> {
  if (session.status !== 'paused' || session.pause?.cause !== 'operator') return null;
  const said = (await journal.load(id.runId))
    .flatMap(({ events }) => JSON.parse(events) as readonly RunEvent[])
    .findLast((event): event is EventOf<'run_paused'> => event.type === 'run_paused');
  return said?.reason ?? null;
}
