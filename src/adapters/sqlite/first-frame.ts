import { Fault } from '../../model/fault.ts';
import { type Frame, GENESIS } from '../../model/frame.ts';
import type { Hash } from '../../model/hash.ts';
import { verifyFirst } from '../../ports/journal-rules/verify-first.ts';
import type { StoredSession } from './known-sessions.ts';
import { unpackText } from './packed-text.ts';
import { isPruned, sessionPruned } from './pruned.ts';
import type { Statements } from './statements.ts';

type StoredFrame = Pick<Frame, 'seq' | 'at' | 'writer' | 'hash'> & { readonly events: string | Uint8Array };

/** One row, where reading all of them walks the chain from its head: a list asks this of everything that it shows. */
export function readFirst(statements: Statements, hash: Hash, session: string): Frame | null {
  const head = statements.session.get(session) as StoredSession | undefined;
  if (head === undefined) return null;
  if (isPruned(head)) throw sessionPruned(head);
  const stored = statements.first.get(head.sid) as StoredFrame | undefined;
  if (stored === undefined) throw damaged(session, 'is missing');
  return verifyFirst(Object.freeze({ session, ...stored, events: textOf(stored, session), prev: GENESIS }), hash);
}

function textOf({ events }: StoredFrame, session: string): string {
  try {
    return unpackText(events);
  } catch (cause) {
    throw damaged(session, 'what is stored cannot be unpacked', cause);
  }
}

const damaged = (session: string, why: string, cause?: unknown): Fault =>
  new Fault('store_corrupt', `frame 1 of session ${session}: ${why}`, { path: '/frames/1', cause });
