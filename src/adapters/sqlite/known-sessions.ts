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
  set(row: StoredSession, effects: readonly EffectRow[]): void;
  /** The newest frame of a session is in this row, and these are its ledger lines, which nobody changes any more. */
  note(session: string, row: number, effects: readonly EffectRow[]): void;
  /** The row of a frame that is the newest of its session; null where it is not, or is not remembered. */
  rowOf(frame: Frame): number | null;
  /** After anything that was undone. */
  forget(): void;
}

export const copiesOf = (effects: readonly EffectRow[]): readonly EffectRow[] =>
  effects.map((effect) => Object.freeze({ ...effect }));

/** Sessions that are being driven; more of them than this and the oldest are read again when they move. */
const KNOWN_MAX = 10_000;

export function knownSessions(statements: Pick<Statements, 'session'>): KnownSessions {
  const known = new Map<string, StoredSession>();
  const newest = new Map<string, { readonly row: number; readonly effects: readonly EffectRow[] }>();
  const read = (session: string): StoredSession | null => {
    const row = statements.session.get(session) as unknown as StoredSession | undefined;
    return row === undefined ? null : { ...row };
  };
  const note = (session: string, row: number, effects: readonly EffectRow[]): void => {
    newest.set(session, { row, effects });
    const [oldest] = newest.size > KNOWN_MAX ? newest.keys() : [];
    if (oldest !== undefined) newest.delete(oldest);
  };
  const drop = (session: string): void => {
    known.delete(session);
    newest.delete(session);
  };
  return {
    read,
    get: (session) => known.get(session) ?? read(session),
    newestEffects: (session, row) => {
      const noted = newest.get(session);
      return noted?.row === row ? noted.effects : null;
    },
    note,
    rowOf: ({ session, hash }) => {
      const row = known.get(session);
      return row?.head_hash === hash ? row.last_row : null;
    },
    set: (row, effects) => {
      if (row.terminal_code !== null) drop(row.session_id);
      else {
        known.set(row.session_id, row);
        // Copies: whoever appended them still holds the rows.
        note(row.session_id, row.last_row, copiesOf(effects));
      }
      const [oldest] = known.size > KNOWN_MAX ? known.keys() : [];
      if (oldest !== undefined) drop(oldest);
    },
    forget: () => {
      known.clear();
      newest.clear();
    },
  };
}
