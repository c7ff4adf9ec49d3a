import type { Frame } from '../../model/frame.ts';
import type { Append } from '../../ports/journal.ts';
import type { SessionRow } from '../../ports/journal-rows.ts';
import { KEYS_MAX, knownKeys } from './known-keys.ts';
import { readKeys } from './read-notes.ts';
import type { Statements } from './statements.ts';

/** A session's row as it is stored: what everybody may read of it, and where its frames are. */
export interface StoredSession extends SessionRow {
  readonly sid: number;
  /** The row of its newest frame. */
  readonly last_row: number;
  /** How many of its checkpoints have the id that follows from their place. */
  readonly checkpoints: number;
}

/**
 * Sessions as this connection left them. Never believed by itself: every change names the head it continues, and where
 * the store holds another one the row is read again.
 */
export interface KnownSessions {
  get(session: string): StoredSession | null;
  read(session: string): StoredSession | null;
  /** An append to a session that stood like this, or began with it, has been written, and this is its row now. */
  moved(append: Append, before: StoredSession | null, row: StoredSession): void;
  /** A frame of it was stored before: whatever has become of the session since is in the store alone. */
  leave(session: string): void;
  /** Whether a frame is the newest of its session, and all that it intends was never intended there before. */
  isAllNew(frame: Frame): boolean;
  /** After anything that was undone. */
  forget(): void;
}

interface Known {
  readonly row: StoredSession;
  readonly allNew: boolean;
}

/** Sessions that are being driven; more of them than this and the oldest are read again when they move. */
export const KNOWN_MAX = 10_000;

export function knownSessions(statements: Pick<Statements, 'session' | 'extrasOf'>): KnownSessions {
  const known = new Map<string, Known>();
  const keys = knownKeys((session) => readKeys(statements, session.last_row), KEYS_MAX);
  const read = (session: string): StoredSession | null => {
    const row = statements.session.get(session) as unknown as StoredSession | undefined;
    return row === undefined ? null : { ...row };
  };
  return {
    read,
    get: (session) => known.get(session)?.row ?? read(session),
    moved: (append, before, row) => {
      const { session } = append;
      if (row.terminal_code !== null) {
        known.delete(session);
        keys.drop(session);
        return;
      }
      known.set(session, { row, allNew: keys.areNew(append, before) });
      if (known.size > KNOWN_MAX) known.delete(known.keys().next().value ?? '');
    },
    leave: (session) => {
      known.delete(session);
    },
    isAllNew: ({ session, hash }) => {
      const noted = known.get(session);
      return noted?.row.head_hash === hash && noted.allNew;
    },
    forget: () => {
      known.clear();
      keys.forget();
    },
  };
}
