import type { Append } from '../../ports/journal.ts';

/**
 * The keys that sessions have ever had in their ledgers, for the sessions that this connection writes: what is intended
 * under a new key was never settled, and nobody has to look that up. A key may be taken for known that is not, which
 * costs a look; none is ever taken for new that is not.
 */
export interface KnownKeys {
  /**
   * Adds the ledger lines of an append to its session, which stood like `before` or begins with it. True where nothing
   * of what it intends was intended there before.
   */
  areNew(append: Append, before: Head | null): boolean;
  /** A session that nobody adds to any more. */
  drop(session: string): void;
  /** After anything that was undone. */
  forget(): void;
}

/** How a session stands: its newest frame, and the row of it. */
interface Head {
  readonly head_hash: string;
  readonly last_row: number;
}

/** All keys of a session up to a head. Where the store holds another head, somebody else has added to them. */
interface KeptKeys {
  head: string;
  readonly keys: Set<string>;
  /** What was counted of them. */
  weight: number;
}

/** So many keys are kept of all sessions together; above that those of the oldest are read again when they are asked for. */
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
  /** A session counts even without keys, so that their number is bounded as well. The one at hand is kept in any case. */
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
        // Whoever took a session over reads it when it first intends something, and not before.
        if (before !== null && effects.every(({ state }) => state !== 'pending')) return true;
        entry = begin(session, new Set(before === null ? [] : read(before)));
      }
      entry.head = frame.hash;
      // First what is settled: what one append both settles and intends is not new.
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
