/** Tests that a repeated intent is never reported as new, through refusals, lost commits and other writers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import type { Frame } from '../../model/events/frame.ts';
import type { Append } from '../../ports/journal/journal.ts';
import { effectRow, grantUse } from '../../testing/contracts/journal/case.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { commitAppends } from './commit-group.ts';
import { type ConnectionHolder, holdConnection } from './connection.ts';

const SESSIONS = ['sess_1', 'sess_2'] as const;
const KEYS = Array.from({ length: 12 }, (_, index) => `key_${index}`);

/** True once in `often` cases. */
const rarely = (often: number): fc.Arbitrary<boolean> => fc.nat({ max: often - 1 }).map((roll) => roll === 0);

const line = fc.tuple(
  fc.constantFrom('pending' as const, 'pending' as const, 'settled' as const),
  fc.constantFrom(...KEYS),
);

const step = fc.record({
  session: fc.constantFrom(...SESSIONS),
  lines: fc.array(line, { maxLength: 2 }),
  /** Uses a spent grant: the append is refused, and the rest of the group is written again without it. */
  isRefused: rarely(20),
});

const group = fc.record({
  /** Two connections to one file, like two processes. */
  by: fc.constantFrom(0 as const, 1 as const),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  isUndone: rarely(12),
  isReopened: rarely(12),
});

const open = (file: string): ConnectionHolder => holdConnection(file, { busyTimeoutMs: 5_000 });

const failing = (): never => {
  throw new Error('the disk is gone');
};

/** A model of what is stored. */
class Truth {
  readonly heads = new Map<string, Frame>();
  readonly #keys = new Map<string, ReadonlySet<string>>();

  /** Whether none of its intents is already in the ledger or twice in the append. */
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

/** The appends of a group. Each continues the previous one of its session, unless that one is refused. */
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

test('reports exactly the first intent under a key of a session as new', () => {
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
          const reported = holders[by].current()?.known.isAllNew(frame);
          const isNew = isNewest && truth.isNew(append);
          // If an append of the group was rolled back, the cache may have forgotten the others too.
          if (reported === true || outcomes.every((fault) => fault === null)) expect(reported).toBe(isNew);
          seen[reported === true ? 'new' : 'known'] += 1;
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
  // Each case must occur often enough to be meaningful.
  expect(Math.min(seen.new, seen.known, seen.refused)).toBeGreaterThan(30);
});
