import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import type { Append } from '../../ports/journal/journal.ts';
import { effectRow } from '../../testing/contracts/journal/case.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { holdConnection } from './connection.ts';
import { KEYS_MAX, KNOWN_MAX, knownSessions, type StoredSession } from './known-sessions.ts';

test('drops the oldest session for each new one beyond the maximum', () => {
  const holder = holdConnection(freshFile(), { busyTimeoutMs: 1 });
  onTestFinished(() => holder.close());
  const known = knownSessions(holder.get().statements);
  const begun = Array.from({ length: KNOWN_MAX + 1 }, (_, place) => draft(sha256, { session: `sess_${place}` }));
  begun.forEach((append, place) => {
    const { session } = append.projections;
    known.recordAppend(append, null, { ...session, sid: place, last_row: place, checkpoints: 0 });
  });
  const remembered = begun.map(({ frame }) => known.isAllNew(frame));
  expect(remembered).toEqual(begun.map((_, place) => place > 0));
});

test('keys of ended sessions do not displace keys of active ones', () => {
  const holder = holdConnection(freshFile(), { busyTimeoutMs: 1 });
  onTestFinished(() => holder.close());
  const known = knownSessions(holder.get().statements);
  const move = (append: Append, before: StoredSession | null): StoredSession => {
    const row = { ...append.projections.session, sid: 1, last_row: append.frame.seq, checkpoints: 0 };
    known.recordAppend(append, before, row);
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
  // None of this is stored, so only the cache can know that the key was intended before.
  const again = draft(sha256, { ...intending('sess_driven', 1), after: driven.frame });
  move(again, before);
  expect(known.isAllNew(again.frame)).toBe(false);
});
