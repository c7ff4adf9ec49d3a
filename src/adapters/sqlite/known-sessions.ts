import type { Frame } from '../../model/events/frame.ts';
import type { Append } from '../../ports/journal/journal.ts';
import type { EffectRow, SessionRow } from '../../ports/journal/rows.ts';
import { readKeys } from './extras.ts';
import type { Statements } from './statements.ts';

/** A stored session row, with the location of its frames. */
export interface StoredSession extends SessionRow {
  readonly sid: number;
  /** The row number of its newest frame. */
  readonly last_row: number;
  /** The number of checkpoints whose id follows from their position, such as `ck_run_1_3`. */
  readonly checkpoints: number;
}

/**
 * A cache of session rows as this connection last wrote them. Every update names the head it continues; if the store
 * has another head, the row is read again.
 */
export interface KnownSessions {
  get(session: string): StoredSession | null;
  read(session: string): StoredSession | null;
  /** Records a written append: the session row before it (null for a new session) and after it. */
  recordAppend(append: Append, before: StoredSession | null, row: StoredSession): void;
  /** Drops a session after a repeated append, because it may have moved on since the frame was stored. */
  drop(session: string): void;
  /** Whether a frame is the newest of its session and none of its calls was intended there before. */
  isAllNew(frame: Frame): boolean;
  /** Clears the cache after a rollback. */
  forget(): void;
}

/** The maximum number of cached sessions; beyond it, the oldest are read again when they continue. */
export const KNOWN_MAX = 10_000;

export function knownSessions(statements: Pick<Statements, 'session' | 'extrasOf'>): KnownSessions {
  const known = new Map<string, { readonly row: StoredSession; readonly allNew: boolean }>();
  const keys = knownKeys((session) => readKeys(statements, session.last_row), KEYS_MAX);
  const read = (session: string): StoredSession | null => {
    const row = statements.session.get(session) as unknown as StoredSession | undefined;
    return row === undefined ? null : { ...row };
  };
  return {
    read,
    get: (session) => known.get(session)?.row ?? read(session),
    recordAppend: (append, before, row) => {
      const { session } = append;
      if (row.terminal_code !== null) {
        known.delete(session);
        keys.drop(session);
        return;
      }
      known.set(session, { row, allNew: keys.areNew(append, before) });
      if (known.size > KNOWN_MAX) known.delete(known.keys().next().value ?? '');
    },
    drop: (session) => {
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

/**
 * A cache of the ledger keys of the sessions that this connection writes. A call under a new key was never settled, so
 * it needs no lookup. A new key may be reported as known, which costs a lookup; a known key is never reported as new.
 */
interface KnownKeys {
  /**
   * Adds an append's ledger keys. `before` is the session's head, or null for a new session. Returns true if none of
   * the append's intents is a repetition.
   */
  areNew(append: Append, before: Head | null): boolean;
  /** Removes a session that will not be written to any more. */
  drop(session: string): void;
  /** Clears the cache after a rollback. */
  forget(): void;
}

/** The newest frame of a session and its row number. */
interface Head {
  readonly head_hash: string;
  readonly last_row: number;
}

/** All keys of a session up to a head. If the store has another head, another connection has added keys. */
interface KeptKeys {
  head: string;
  readonly keys: Set<string>;
  /** Its share of the total. */
  weight: number;
}

/** The maximum number of cached keys. Beyond it, the oldest sessions are dropped and read again when needed. */
export const KEYS_MAX = 100_000;

export function knownKeys(read: (session: Head) => Iterable<string>, max: number): KnownKeys {
  const kept = new Map<string, KeptKeys>();
  let total = 0;

  const drop = (session: string): void => {
    total -= kept.get(session)?.weight ?? 0;
    kept.delete(session);
  };
  const keptOf = (session: string, before: Head | null): KeptKeys | null => {
    const found = kept.get(session);
    if (found === undefined) return null;
    if (found.head === before?.head_hash) return found;
    drop(session);
    return null;
  };
  const begin = (session: string, keys: Set<string>): KeptKeys => {
    const begun = { head: '', keys, weight: 0 };
    kept.set(session, begun);
    return begun;
  };
  /** A session without keys counts as one, to limit their number too. The current session is always kept. */
  const weigh = (session: string, entry: KeptKeys): void => {
    const weight = entry.keys.size + 1;
    total += weight - entry.weight;
    entry.weight = weight;
    if (total <= max) return;
    for (const oldest of kept.keys()) {
      if (oldest !== session) drop(oldest);
      if (total <= max) return;
    }
  };
  return {
    areNew: ({ session, frame, projections: { effects } }, before) => {
      let entry = keptOf(session, before);
      if (entry === null) {
        // A session that another process started is read at its first intent, not earlier.
        if (before !== null && effects.every(({ state }) => state !== 'pending')) return true;
        entry = begin(session, new Set(before === null ? [] : read(before)));
      }
      entry.head = frame.hash;
      // Settled keys first: a call that one append both settles and intends is not new.
      for (const { state, idempotency_key } of effects) if (state === 'settled') entry.keys.add(idempotency_key);
      let areNew = true;
      for (const { state, idempotency_key } of effects) {
        if (state === 'settled') continue;
        if (entry.keys.has(idempotency_key)) areNew = false;
        else entry.keys.add(idempotency_key);
      }
      weigh(session, entry);
      return areNew;
    },
    drop,
    forget: () => {
      kept.clear();
      total = 0;
    },
  };
}

/**
 * A cache of this process's newest intents under new keys. Each is returned once: the first read follows the intent
 * directly, and a later read asks for its outcome.
 */
export interface RecentIntents {
  /** Caches the new intents of a session's newest frame. Pass an empty list if it is unknown whether they are new. */
  note(session: string, intents: readonly EffectRow[]): void;
  take(session: string, key: string): EffectRow | null;
  /** Removes a session's intents, so that the next read uses the file. */
  drop(session: string): void;
}

/** Copies the rows, because the caller still holds them. */
export const intentsIn = (effects: readonly EffectRow[]): readonly EffectRow[] =>
  effects.filter(({ state }) => state === 'pending').map((effect) => Object.freeze({ ...effect }));

export function recentIntents(): RecentIntents {
  const newest = new Map<string, readonly EffectRow[]>();
  const drop = (session: string): void => {
    newest.delete(session);
  };
  return {
    note: (session, intents) => {
      // Only the newest frame's intents count.
      drop(session);
      if (intents.length === 0) return;
      newest.set(session, intents);
      if (newest.size > KNOWN_MAX) drop(newest.keys().next().value ?? '');
    },
    take: (session, key) => {
      const intent = newest.get(session)?.find(({ idempotency_key }) => idempotency_key === key) ?? null;
      if (intent !== null) drop(session);
      return intent;
    },
    drop,
  };
}
