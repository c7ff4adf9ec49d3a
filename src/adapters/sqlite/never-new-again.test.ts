/** Over groups, refusals, lost commits, other writers and new beginnings: what was intended before is never taken for new. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import type { Frame } from '../../model/frame.ts';
import type { Append } from '../../ports/journal.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { effectRow, grantUse } from '../../testing/contracts/journal/rows.ts';
import { sha256 } from '../node/sha256.ts';
import { commitAppends } from './commit-appends.ts';
import { type ConnectionHolder, holdConnection } from './connection.ts';

const SESSIONS = ['sess_1', 'sess_2'] as const;
const KEYS = Array.from({ length: 12 }, (_, index) => `key_${index}`);

/** Once in so many. */
const rarely = (often: number): fc.Arbitrary<boolean> => fc.nat({ max: often - 1 }).map((roll) => roll === 0);

const line = fc.tuple(
  fc.constantFrom('pending' as const, 'pending' as const, 'settled' as const),
  fc.constantFrom(...KEYS),
);

const step = fc.record({
  session: fc.constantFrom(...SESSIONS),
  lines: fc.array(line, { maxLength: 2 }),
  /** Uses a grant that is used up: it is refused, and its neighbours are written again without it. */
  isRefused: rarely(20),
});

const group = fc.record({
  /** Two connections to one file, as from two processes. */
  by: fc.constantFrom(0 as const, 1 as const),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  isUndone: rarely(12),
  isReopened: rarely(12),
});

const open = (file: string): ConnectionHolder => holdConnection(file, { busyTimeoutMs: 5_000 });

const failing = (): never => {
  throw new Error('the disk is gone');
};

/** What is stored, as whoever reads it whole knows it. */
class Truth {
  readonly heads = new Map<string, Frame>();
  readonly #keys = new Map<string, ReadonlySet<string>>();

  /** Nothing that it intends is in the ledger before it, or in it a second time. */
  isNew({ session, projections: { effects } }: Append): boolean {
    const keys = effects.map(({ idempotency_key }) => idempotency_key);
    return effects.every(({ state, idempotency_key: key }) => {
      const isKnown = this.#keys.get(session)?.has(key) === true;
      return state === 'settled' || !(isKnown || keys.indexOf(key) !== keys.lastIndexOf(key));
    });
  }

  take({ session, frame, projections: { effects } }: Append): void {
    this.heads.set(session, frame);
    const keys = effects.map(({ idempotency_key }) => idempotency_key);
    this.#keys.set(session, new Set([...(this.#keys.get(session) ?? []), ...keys]));
  }
}

interface Step {
  readonly session: string;
  readonly lines: readonly (readonly ['pending' | 'settled', string])[];
  readonly isRefused: boolean;
}

/** The appends of a group, each after the one before it in its session, unless that one is refused. */
function appendsOf(steps: readonly Step[], heads: ReadonlyMap<string, Frame>): readonly Append[] {
  const next = new Map(heads);
  return steps.map(({ session, lines, isRefused }) => {
    const after = next.get(session);
    const effects = lines.map(([state, idempotency_key]) => effectRow({ session_id: session, state, idempotency_key }));
    const grants = isRefused ? [grantUse({ grant_id: 'used', session_id: session })] : [];
    const append = draft(sha256, { session, ...(after && { after }), rows: { effects, grants } });
    if (!isRefused) next.set(session, append.frame);
    return append;
  });
}

test('what was never intended in a session is told to be new, and nothing else is, over any way that it was written', () => {
  const seen = { new: 0, known: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(group, { minLength: 15, maxLength: 30 }), (groups) => {
      const file = freshFile();
      const holders = [open(file), open(file)] as [ConnectionHolder, ConnectionHolder];
      const used = draft(sha256, {
        session: 'sess_0',
        rows: { grants: [grantUse({ grant_id: 'used', session_id: 'sess_0' })] },
      });
      expect(commitAppends(holders[0], [used])).toEqual([null]);
      const truth = new Truth();
      for (const { by, steps, isUndone, isReopened } of groups) {
        const appends = appendsOf(steps, truth.heads);
        const outcomes = commitAppends(holders[by], appends, isUndone ? failing : undefined);
        seen.refused += outcomes.filter((fault) => fault !== null).length;
        appends.forEach((append, index) => {
          if (outcomes[index] !== null) return;
          const { session, frame } = append;
          const isNewest = !appends.some(
            (later, at) => at > index && later.session === session && outcomes[at] === null,
          );
          const told = holders[by].current()?.known.isAllNew(frame);
          const isNew = isNewest && truth.isNew(append);
          // Where one of a group was undone, what is known of the others may be forgotten with it.
          if (told === true || outcomes.every((fault) => fault === null)) expect(told).toBe(isNew);
          seen[told === true ? 'new' : 'known'] += 1;
          truth.take(append);
        });
        if (isReopened) {
          holders[by].close();
          holders[by] = open(file);
        }
      }
      for (const holder of holders) holder.close();
    }),
    { numRuns: 20, endOnFailure: true },
  );
  // It is told often enough for this to mean something.
  expect(Math.min(seen.new, seen.known, seen.refused)).toBeGreaterThan(30);
});
