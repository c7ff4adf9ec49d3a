import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { emptySqliteStore, freshFile } from '../../../test/journal/sqlite-store.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { toBlob } from '../../model/blob.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { JOURNAL_CONTRACT } from '../../testing/contracts/journal-contract.ts';
import { sha256 } from '../node/sha256.ts';
import { sqliteJournal } from './sqlite-journal.ts';

/** Cases of the contract that prove a requirement as it stands. */
const PROVES: ReadonlyMap<string, string> = new Map([
  ['a checkpoint id keeps its first content', 'checkpoint:store:append-only'],
  ['nothing that a caller still holds can change what is stored', 'checkpoint:store:immutable'],
  ['one altered character of a frame is found', 'trace:immutability:append-only-then-sealed'],
  ['two frames that changed places are found', 'trace:immutability:append-only-then-sealed'],
  ['a session that has ended takes no more frames', 'trace:immutability:append-only-then-sealed'],
]);

describe('the journal in SQLite keeps the contract', () => {
  for (const { name, run } of JOURNAL_CONTRACT) {
    const body = async (): Promise<void> => {
      await expect(run(emptySqliteStore())).resolves.toBeUndefined();
    };
    const requirement = PROVES.get(name);
    if (requirement === undefined) test(name, body);
    else verifies(requirement, name, body);
  }

  test('every case that proves a requirement is still in the contract', () => {
    const names = JOURNAL_CONTRACT.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...PROVES.keys()]));
  });
});

describe('a thread that writes keeps it, too', () => {
  for (const { name, run } of JOURNAL_CONTRACT)
    test(name, async () => {
      await expect(run(emptySqliteStore('thread'))).resolves.toBeUndefined();
    });
});

test('what is large takes less room on the disk than it is long, and is read as it was', async () => {
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
