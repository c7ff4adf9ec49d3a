import { GENESIS } from '../../model/events/frame.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Append } from './journal.ts';
import type { SessionRow } from './rows.ts';

interface Held {
  readonly writer: string;
  readonly hash: string;
}

/** The session row, and the stored frames at the seq that an append wants (`there`) and before it. */
export interface AppendPlace {
  readonly there: Held | null;
  readonly before: Held | null;
  readonly session: SessionRow | null;
}

/** `stored`: this writer stored the same frame before and could not learn whether its commit succeeded. */
export type PlaceRuling = 'free' | 'stored' | Fault;

/** The fence: decides whether a writer may append at this position. All stores use this function. */
export function ruleOnPlace(append: Append, place: AppendPlace): PlaceRuling {
  const { frame, session, writer } = append;
  const { there, before } = place;
  if (there !== null) {
    if (there.writer === writer && there.hash === frame.hash) return 'stored';
    return fenced(session, `frame ${frame.seq} was written by ${there.writer}`);
  }
  if (frame.prev !== GENESIS && before === null) {
    const why = `frame ${frame.seq} of session ${session} has no frame ${frame.seq - 1} before it`;
    return new Fault('input_invalid', why, { path: '/expectedSeq' });
  }
  if (frame.prev !== GENESIS && before?.hash !== frame.prev)
    return fenced(session, `frame ${frame.seq - 1}, written by ${before?.writer}, is not the one this continues`);
  if (place.session !== null && place.session.terminal_code !== null)
    return new Fault('session_terminal', `session ${session} has ended: ${place.session.terminal_code}`);
  return 'free';
}

function fenced(session: string, why: string): Fault {
  return new Fault('fenced', `session ${session}: ${why}; reload it before going on`);
}
