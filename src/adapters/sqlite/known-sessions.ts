import type { Frame } from '../../model/frame.ts';
import type { EffectRow, SessionRow } from '../../ports/journal-rows.ts';
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
  /** The ledger lines of a session's newest frame, if that is still the one in this row; null where it is not known. */
  newestEffects(session: string, row: number): readonly EffectRow[] | null;
  read(session: string): StoredSession | null;
  /** `keys` tells whether any of what is intended was ever intended before. */
  set(row: StoredSession, effects: readonly EffectRow[], keys: 'new' | 'known'): void;
  /**
   * The newest frame of a session is in this row, and these are its ledger lines, which nobody changes any more. Nothing
   * of what it intends was ever intended before. Null where nobody knows that: then nothing was just intended.
   */
  note(session: string, row: number | null, effects: readonly EffectRow[]): void;
  /** The row of a frame that is the newest of its session, with new keys only; null otherwise, or where nobody remembers. */
  rowOf(frame: Frame): number | null;
  /**
   * What this process has just intended under a new key. Told once: whoever asks for it right then need not look it up,
   * and whoever asks again wants to know what has become of it.
   */
  takeIntent(key: string): EffectRow | null;
  /** What was intended in this session is looked up from now on. */
  dropIntents(session: string): void;
  /** After anything that was undone. */
  forget(): void;
}

export const copiesOf = (effects: readonly EffectRow[]): readonly EffectRow[] =>
  effects.map((effect) => Object.freeze({ ...effect }));

interface NewestFrame {
  readonly row: number;
  readonly effects: readonly EffectRow[];
  readonly keys: 'new' | 'known';
}

/** Sessions that are being driven; more of them than this and the oldest are read again when they move. */
const KNOWN_MAX = 10_000;

const oldestOf = (sessions: ReadonlyMap<string, unknown>): string => sessions.keys().next().value ?? '';

export function knownSessions(statements: Pick<Statements, 'session'>): KnownSessions {
  const known = new Map<string, StoredSession>();
  const newest = new Map<string, NewestFrame>();
  const intents = new Map<string, EffectRow>();
  const read = (session: string): StoredSession | null => {
    const row = statements.session.get(session) as unknown as StoredSession | undefined;
    return row === undefined ? null : { ...row };
  };
  /** What was intended before the newest frame is nothing that was just intended. */
  const dropIntents = (session: string): void => {
    if (intents.size === 0) return;
    for (const { idempotency_key } of newest.get(session)?.effects ?? []) intents.delete(idempotency_key);
  };
  const dropNewest = (session: string): void => {
    dropIntents(session);
    newest.delete(session);
  };
  const remember = (session: string, frame: NewestFrame): void => {
    dropNewest(session);
    newest.set(session, frame);
    if (frame.keys === 'new')
      for (const effect of frame.effects) if (effect.state === 'pending') intents.set(effect.idempotency_key, effect);
    if (newest.size > KNOWN_MAX) dropNewest(oldestOf(newest));
  };
  const drop = (session: string): void => {
    known.delete(session);
    dropNewest(session);
  };
  return {
    read,
    get: (session) => known.get(session) ?? read(session),
    newestEffects: (session, row) => {
      const noted = newest.get(session);
      return noted?.row === row ? noted.effects : null;
    },
    note: (session, row, effects) =>
      row === null ? dropNewest(session) : remember(session, { row, effects, keys: 'new' }),
    rowOf: ({ session, hash }) => {
      const row = known.get(session);
      return row?.head_hash === hash && newest.get(session)?.keys === 'new' ? row.last_row : null;
    },
    dropIntents,
    takeIntent: (key) => {
      const intent = intents.get(key) ?? null;
      intents.delete(key);
      return intent;
    },
    set: (row, effects, keys) => {
      if (row.terminal_code !== null) drop(row.session_id);
      else {
        known.set(row.session_id, row);
        // Copies: whoever appended them still holds the rows.
        remember(row.session_id, { row: row.last_row, effects: copiesOf(effects), keys });
      }
      if (known.size > KNOWN_MAX) drop(oldestOf(known));
    },
    forget: () => {
      known.clear();
      newest.clear();
      intents.clear();
    },
  };
}
