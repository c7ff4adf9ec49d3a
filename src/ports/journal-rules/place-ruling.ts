import { Fault } from '../../model/fault.ts';
import { GENESIS } from '../../model/frame.ts';
import type { Append } from '../journal.ts';
import type { SessionRow } from '../journal-rows.ts';

interface Held {
  readonly writer: string;
  readonly hash: string;
}

/** What a store holds at and around the place an append wants. */
export interface Place {
  readonly there: Held | null;
  readonly before: Held | null;
  readonly session: SessionRow | null;
}

/** `stored`: the writer meets its own frame, sent again after a commit whose outcome it could not learn. */
export type PlaceRuling = 'free' | 'stored' | Fault;

/** The fence, in one place for every store. */
export function ruleOnPlace(append: Append, place: Place): PlaceRuling {
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
