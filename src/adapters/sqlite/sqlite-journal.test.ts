import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { emptySqliteStore, freshFile } from '../../../test/journal/sqlite-store.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { toBlob } from '../../model/json/blob.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { JOURNAL_CONTRACT } from '../../testing/contracts/journal-contract.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { sqliteJournal } from './sqlite-journal.ts';

/** Contract cases that prove a requirement. */
const PROVES: ReadonlyMap<string, string> = new Map([
  ['refuses other content under a known checkpoint id', 'checkpoint:store:append-only'],
  ["is not affected by later changes to a caller's objects", 'checkpoint:store:immutable'],
  ['detects one changed character in a frame', 'trace:immutability:append-only-then-sealed'],
  ['detects two swapped frames', 'trace:immutability:append-only-then-sealed'],
  ['refuses frames after the end of a session', 'trace:immutability:append-only-then-sealed'],
]);

describe('the SQLite journal meets the contract', () => {
  for (const { name, run } of JOURNAL_CONTRACT) {
    const body = async (): Promise<void> => {
      await expect(run(emptySqliteStore())).resolves.toBeUndefined();
    };
    const requirement = PROVES.get(name);
    if (requirement === undefined) test(name, body);
    else verifies(requirement, name, body);
  }

  test('every case that proves a requirement is in the contract', () => {
    const names = JOURNAL_CONTRACT.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...PROVES.keys()]));
  });
});

describe('the SQLite journal with a writing thread meets the contract', () => {
  for (const { name, run } of JOURNAL_CONTRACT)
    test(name, async () => {
      await expect(run(emptySqliteStore('thread'))).resolves.toBeUndefined();
    });
});

test('stores large texts compressed and reads them back unchanged', async () => {
  const path = freshFile();
  const journal = sqliteJournal({ path, hash: sha256 });
  const blob = toBlob(JSON.stringify('a text that repeats itself, '.repeat(1_000)), sha256);
  const append = draft(sha256, { events: JSON.stringify(['words of a run, '.repeat(1_000)]), blobs: [blob] });
  await journal.append(append);
  expect([await journal.load('sess_1'), await journal.blob(blob.address)]).toEqual([[append.frame], blob.text]);
  await journal.close();
  const db = new DatabaseSync(path);
  const stored = db
    .prepare('select length(events) as bytes from frames union all select length(text) from blobs')
    .all();
  db.close();
  expect(stored.map(({ bytes }) => Number(bytes) < 1_000)).toEqual([true, true]);
});
