import type { EffectRow } from '../../ports/journal/rows.ts';
import { KNOWN_MAX } from './known-sessions.ts';

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
