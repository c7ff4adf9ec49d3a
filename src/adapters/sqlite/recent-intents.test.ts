/** Tests that a new intent is answered from memory only while no other process can have settled it. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { toBlob } from '../../model/json/blob.ts';
import type { StoreWriter } from '../../model/run/store-name.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { effectRow } from '../../testing/contracts/journal/case.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { KNOWN_MAX, recentIntents } from './known-sessions.ts';
import { sqliteJournal } from './sqlite-journal.ts';

const KEY = sha256('a key');
const OLD = sha256('an older key');
const SAID = toBlob('{"ok":true}', sha256);
const row = (idempotency_key: string, state: 'pending' | 'settled') =>
  effectRow({ idempotency_key, session_id: 'sess_1', state, result: state === 'settled' ? SAID.address : null });

const INTENT = draft(sha256, { rows: { effects: [row(KEY, 'pending')] } });
const SETTLED = draft(sha256, { after: INTENT.frame, blobs: [SAID], rows: { effects: [row(KEY, 'settled')] } });
const AGAIN = draft(sha256, { after: SETTLED.frame, rows: { effects: [row(KEY, 'pending')] } });

const OLDER = draft(sha256, { rows: { effects: [row(OLD, 'pending')] } });
const THEN = draft(sha256, { after: OLDER.frame, rows: { effects: [row(KEY, 'pending')] } });
const BOTH = draft(sha256, {
  after: THEN.frame,
  blobs: [SAID],
  rows: { effects: [row(KEY, 'settled'), row(OLD, 'pending')] },
});
const OTHERWISE = toBlob('{"ok":false}', sha256);
const ONCE_MORE = draft(sha256, {
  after: SETTLED.frame,
  blobs: [OTHERWISE],
  rows: { effects: [{ ...row(KEY, 'settled'), result: OTHERWISE.address }, row(OLD, 'pending')] },
});
const END = draft(sha256, {
  after: INTENT.frame,
  blobs: [SAID],
  rows: { effects: [row(KEY, 'settled')] },
  row: { terminal_code: 'completed' as never, status: 'ended' as never },
});

function open(path: string, writer: StoreWriter): Journal {
  const journal = sqliteJournal({ path, hash: sha256, writer });
  onTestFinished(() => journal.close());
  return journal;
}

describe.each(['inline', 'thread'] as const)('a store with the writer %s', (writer) => {
  test('returns its own new intent once, and then what another process wrote', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'pending'));
    await open(path, 'inline').append(SETTLED);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('reads the file after storing the same frame again, because others may have settled the call', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    await open(path, 'inline').append(SETTLED);
    await own.append(INTENT);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test("returns only the session's own intent under a key", async () => {
    const own = open(freshFile(), writer);
    await own.append(INTENT);
    await own.append(draft(sha256, { session: 'sess_2' }));
    expect(await own.effect('sess_2', KEY)).toBeNull();
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'pending'));
  });

  test('reads the file for a repeated intent', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED, AGAIN]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('reads the file for a call that it settled itself', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('returns a call that another process settled as settled, even if it is intended again', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    await open(path, 'inline').append(SETTLED);
    await own.append(AGAIN);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('returns a call as settled if the same append repeats an older intent', async () => {
    const own = open(freshFile(), writer);
    for (const append of [OLDER, THEN, BOTH]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('keeps the first result of a call that is settled again with a new intent', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED, ONCE_MORE]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
    expect(await own.effect('sess_1', OLD)).toEqual(row(OLD, 'pending'));
  });

  test('returns the intent as appended, even if the caller changes its row later', async () => {
    const own = open(freshFile(), writer);
    const effect = row(KEY, 'pending');
    await own.append(draft(sha256, { rows: { effects: [effect] } }));
    Object.assign(effect, { tool: 'another' });
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'pending'));
  });

  test('returns a call that the last frame settles as settled', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, END]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });
  test('reads the file after the session is loaded again', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    await open(path, 'inline').append(SETTLED);
    await own.load('sess_1');
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });
});

test('drops the oldest intents beyond the maximum number of sessions', () => {
  const { note, take } = recentIntents();
  for (let session = 0; session <= KNOWN_MAX; session += 1) note(`sess_${session}`, [row(KEY, 'pending')]);
  expect(take('sess_0', KEY)).toBeNull();
  for (const session of ['sess_1', `sess_${KNOWN_MAX}`]) expect(take(session, KEY)).toEqual(row(KEY, 'pending'));
});
