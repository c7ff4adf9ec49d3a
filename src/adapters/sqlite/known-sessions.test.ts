import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import type { Append } from '../../ports/journal.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { effectRow } from '../../testing/contracts/journal/rows.ts';
import { sha256 } from '../node/sha256.ts';
import { holdConnection } from './connection.ts';
import { KEYS_MAX } from './known-keys.ts';
import { KNOWN_MAX, knownSessions, type StoredSession } from './known-sessions.ts';

test('of more sessions than are driven at once the oldest are forgotten, one for each that begins', () => {
  const holder = holdConnection(freshFile(), { busyTimeoutMs: 1 });
  onTestFinished(() => holder.close());
  const known = knownSessions(holder.get().statements);
  const begun = Array.from({ length: KNOWN_MAX + 1 }, (_, place) => draft(sha256, { session: `sess_${place}` }));
  begun.forEach((append, place) => {
    const { session } = append.projections;
    known.moved(append, null, { ...session, sid: place, last_row: place, checkpoints: 0 });
  });
  const remembered = begun.map(({ frame }) => known.isAllNew(frame));
  expect(remembered).toEqual(begun.map((_, place) => place > 0));
});

test('the keys of sessions that have ended take no room from those that are driven', () => {
  const holder = holdConnection(freshFile(), { busyTimeoutMs: 1 });
  onTestFinished(() => holder.close());
  const known = knownSessions(holder.get().statements);
  const move = (append: Append, before: StoredSession | null): StoredSession => {
    const row = { ...append.projections.session, sid: 1, last_row: append.frame.seq, checkpoints: 0 };
    known.moved(append, before, row);
    return row;
  };
  const intending = (session: string, keys: number) => ({
    session,
    rows: {
      effects: Array.from({ length: keys }, (_, key) =>
        effectRow({ session_id: session, idempotency_key: `${session}_${key}` }),
      ),
    },
  });
  const driven = draft(sha256, intending('sess_driven', 1));
  const before = move(driven, null);
  for (const session of ['sess_1', 'sess_2']) {
    const begun = draft(sha256, intending(session, KEYS_MAX * 0.75));
    move(draft(sha256, { after: begun.frame, row: { terminal_code: 'SUCCESS' } }), move(begun, null));
  }
  // None of this is in the store: only who still knows the key says that it was intended before.
  const again = draft(sha256, { ...intending('sess_driven', 1), after: driven.frame });
  move(again, before);
  expect(known.isAllNew(again.frame)).toBe(false);
});
