/** What was just intended is told from memory only as long as nobody can have settled it; all else is what the file says. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { toBlob } from '../../model/blob.ts';
import type { StoreWriter } from '../../model/store-name.ts';
import type { Journal } from '../../ports/journal.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { effectRow } from '../../testing/contracts/journal/rows.ts';
import { sha256 } from '../node/sha256.ts';
import { justIntended } from './just-intended.ts';
import { KNOWN_MAX } from './known-sessions.ts';
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
  test('tells what it has just intended, and then what another process has made of it', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'pending'));
    await open(path, 'inline').append(SETTLED);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('looks up what it had stored before and offers again: others may have settled it since', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    await open(path, 'inline').append(SETTLED);
    await own.append(INTENT);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('tells a session what it has just intended itself, and not what another has under the same key', async () => {
    const own = open(freshFile(), writer);
    await own.append(INTENT);
    await own.append(draft(sha256, { session: 'sess_2' }));
    expect(await own.effect('sess_2', KEY)).toBeNull();
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'pending'));
  });

  test('looks up what was intended before, whoever intends it again', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED, AGAIN]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('looks up what it has settled itself', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('what another process has settled is settled, where it is intended again', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    await open(path, 'inline').append(SETTLED);
    await own.append(AGAIN);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('what is settled together with an intent that is not new is settled', async () => {
    const own = open(freshFile(), writer);
    for (const append of [OLDER, THEN, BOTH]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });

  test('what is settled once more beside a new intent is settled as it was', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED, ONCE_MORE]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
    expect(await own.effect('sess_1', OLD)).toEqual(row(OLD, 'pending'));
  });

  test('tells what was intended, whatever its caller makes of the rows afterwards', async () => {
    const own = open(freshFile(), writer);
    const effect = row(KEY, 'pending');
    await own.append(draft(sha256, { rows: { effects: [effect] } }));
    Object.assign(effect, { tool: 'another' });
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'pending'));
  });

  test('what the last frame settles is settled', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, END]) await own.append(append);
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });
  test('whoever takes a session up again hears what others have made of it', async () => {
    const path = freshFile();
    const own = open(path, writer);
    await own.append(INTENT);
    await open(path, 'inline').append(SETTLED);
    await own.load('sess_1');
    expect(await own.effect('sess_1', KEY)).toEqual(row(KEY, 'settled'));
  });
});

test('of more sessions than are driven at once the oldest intents are looked up again', () => {
  const { note, take } = justIntended();
  for (let session = 0; session <= KNOWN_MAX; session += 1) note(`sess_${session}`, [row(KEY, 'pending')]);
  expect(take('sess_0', KEY)).toBeNull();
  for (const session of ['sess_1', `sess_${KNOWN_MAX}`]) expect(take(session, KEY)).toEqual(row(KEY, 'pending'));
});
