import type { EffectRow } from '../../ports/journal-rows.ts';
import { KNOWN_MAX } from './known-sessions.ts';

/**
 * What this process has just intended under new keys. Told once: whoever asks for it right then need not look it up, and
 * whoever asks again wants to know what has become of it.
 */
export interface JustIntended {
  /** What the newest frame of a session intends and was never intended there before; nothing where nobody knows that. */
  note(session: string, intents: readonly EffectRow[]): void;
  take(session: string, key: string): EffectRow | null;
  /** What was intended in this session is looked up from now on. */
  drop(session: string): void;
}

/** Copies: whoever appended the rows still holds them. */
export const intentsIn = (effects: readonly EffectRow[]): readonly EffectRow[] =>
  effects.filter(({ state }) => state === 'pending').map((effect) => Object.freeze({ ...effect }));

export function justIntended(): JustIntended {
  const newest = new Map<string, readonly EffectRow[]>();
  const drop = (session: string): void => {
    newest.delete(session);
  };
  return {
    note: (session, intents) => {
      // Whatever was intended before the newest frame was not just intended.
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
