/** Whoever asks right after an intent hears it from memory; everything else is what the file says. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { toBlob } from '../../model/blob.ts';
import type { StoreWriter } from '../../model/store-name.ts';
import type { Journal } from '../../ports/journal.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { effectRow } from '../../testing/contracts/journal/rows.ts';
import { sha256 } from '../node/sha256.ts';
import { sqliteJournal } from './sqlite-journal.ts';

const KEY = sha256('a key');
const SAID = toBlob('{"ok":true}', sha256);
const pending = effectRow({ idempotency_key: KEY, session_id: 'sess_1', state: 'pending', result: null });
const settled = effectRow({ idempotency_key: KEY, session_id: 'sess_1', state: 'settled', result: SAID.address });

const INTENT = draft(sha256, { rows: { effects: [pending] } });
const SETTLED = draft(sha256, { after: INTENT.frame, blobs: [SAID], rows: { effects: [settled] } });
const AGAIN = draft(sha256, { after: SETTLED.frame, rows: { effects: [pending] } });

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
    expect(await own.effect(KEY)).toEqual(pending);
    await open(path, 'inline').append(SETTLED);
    expect(await own.effect(KEY)).toEqual(settled);
  });

  test('looks up what was intended before, whoever intends it again', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED, AGAIN]) await own.append(append);
    expect(await own.effect(KEY)).toEqual(settled);
  });

  test('looks up what it has settled itself', async () => {
    const own = open(freshFile(), writer);
    for (const append of [INTENT, SETTLED]) await own.append(append);
    expect(await own.effect(KEY)).toEqual(settled);
  });
});
