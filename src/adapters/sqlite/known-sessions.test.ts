import { expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/sha256.ts';
import { holdConnection } from './connection.ts';
import { KNOWN_MAX, knownSessions } from './known-sessions.ts';

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
