import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { Fault } from '../../model/fault/fault.ts';
import { toBlob } from '../../model/json/blob.ts';
import type { StoreWriter } from '../../model/run/store-name.ts';
import { draft, grow } from '../../testing/contracts/journal/draft.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { holdConnection, openSqliteConnection } from './connection.ts';
import { createSchema, hasSchema, SCHEMA_VERSION } from './schema.ts';
import { sqliteJournal } from './sqlite-journal.ts';

function openingFaultWith(writer: StoreWriter, path: string): Fault {
  try {
    sqliteJournal({ path, hash: sha256, writer, busyTimeoutMs: 1 });
  } catch (error) {
    if (Fault.is(error)) return error;
    throw error;
  }
  throw new Error(`${path} was opened`);
}

describe.each(['inline', 'thread'] as const)('opening a file, %s', (writer) => {
  const openingFault = (path: string): Fault => openingFaultWith(writer, path);

  test('reports a missing folder by name and does not create it', () => {
    const path = join(dirname(freshFile()), 'missing', 'journal.db');
    const fault = openingFault(path);
    expect(fault.code).toBe('store_unavailable');
    expect(fault.message).toContain(`the folder ${dirname(path)} does not exist`);
  });

  test('rejects a folder', () => {
    const path = freshFile();
    mkdirSync(path);
    expect(openingFault(path)).toMatchObject({ code: 'store_unavailable', retryable: true });
  });

  test.each(['', ':memory:', 'file:journal.db?mode=memory', 'nul\0.db'])('rejects %j as a file name', (path) => {
    expect(openingFault(path).code).toBe('input_invalid');
  });

  test('rejects a file that is not a database and leaves it unchanged', () => {
    const path = freshFile();
    writeFileSync(path, 'minutes of the meeting\n'.repeat(500));
    expect(openingFault(path)).toMatchObject({ code: 'store_corrupt' });
    expect(readFileSync(path, 'utf8')).toBe('minutes of the meeting\n'.repeat(500));
  });

  test("rejects another application's database and leaves it unchanged", () => {
    const path = freshFile();
    const other = new DatabaseSync(path);
    other.exec('create table bookmarks (url text)');
    other.close();
    const before = readFileSync(path);
    expect(openingFault(path).code).toBe('input_invalid');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('rejects a journal of a newer version and names both versions', async () => {
    const path = freshFile();
    await sqliteJournal({ path, hash: sha256 }).close();
    const newer = new DatabaseSync(path);
    newer.exec(`pragma user_version = ${SCHEMA_VERSION + 1}`);
    newer.close();
    const fault = openingFault(path);
    expect(fault.code).toBe('store_version_unsupported');
    expect(fault.message).toContain(`format ${SCHEMA_VERSION + 1}`);
    expect(fault.message).toContain(`format ${SCHEMA_VERSION}`);
  });

  test('reports a new file that another process keeps locked as unavailable', () => {
    const path = freshFile();
    const other = new DatabaseSync(path);
    other.exec('begin exclusive; create table t (x)');
    expect(openingFault(path)).toMatchObject({ code: 'store_unavailable', retryable: true });
    other.exec('rollback');
    other.close();
  });
});

describe('a new file', () => {
  test('can be created by two processes at the same moment', () => {
    const path = freshFile();
    const [one, two] = [new DatabaseSync(path), new DatabaseSync(path)];
    expect([hasSchema(one, path), hasSchema(two, path)]).toEqual([false, false]);
    createSchema(one, path);
    createSchema(two, path);
    expect([hasSchema(one, path), hasSchema(two, path)]).toEqual([true, true]);
    one.close();
    two.close();
  });

  test('syncs every commit to disk and enforces references', () => {
    const { db } = openSqliteConnection(freshFile(), { busyTimeoutMs: 1 });
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    expect(db.prepare('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 });
    db.close();
  });

  test('has a log that is copied back and does not grow with every write', () => {
    const path = freshFile();
    const { db } = openSqliteConnection(path, { busyTimeoutMs: 1 });
    const logs = ['a', 'b', 'c'].map((address) => {
      // More than the log holds before it is copied back.
      db.prepare('insert into blobs (address, text) values (?, zeroblob(17000000))').run(address);
      return statSync(`${path}-wal`).size;
    });
    db.close();
    expect(logs.every((bytes) => bytes < 20_000_000)).toBe(true);
  });
});

describe('reopening a file', () => {
  test('finds everything that was acknowledged', async () => {
    const path = freshFile();
    const first = sqliteJournal({ path, hash: sha256 });
    const head = await grow(first, sha256, 20);
    await first.close();
    const second = sqliteJournal({ path, hash: sha256 });
    expect((await second.load('sess_1')).at(-1)).toEqual(head);
    expect(await second.list({})).toMatchObject([{ seq: 20, head_hash: head.hash }]);
    await second.append(draft(sha256, { after: head, writer: 'w_2' }));
    expect(await second.load('sess_1')).toHaveLength(21);
    await second.close();
  });

  verifies(
    'checkpoint:store:content-addressed',
    'the same payload has one address, and a byte flipped on disk is found when it is read',
    async () => {
      const path = freshFile();
      const payload = '{"checkpoint":"the payload of a verdict"}';
      const [blob, same] = [toBlob(payload, sha256), toBlob(payload, sha256)];
      expect(same.address).toBe(blob.address);
      const row = { checkpoint_id: 'ck_1', session_id: 'sess_1', seq: 1, address: blob.address };
      const journal = sqliteJournal({ path, hash: sha256 });
      await journal.append(draft(sha256, { blobs: [blob, same], rows: { checkpoints: [row] } }));
      await journal.close();
      flipByte(path, payload);
      const again = sqliteJournal({ path, hash: sha256 });
      await expect(again.checkpoint('ck_1')).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
      await expect(again.blob(blob.address)).rejects.toMatchObject({ code: 'store_corrupt' });
      await again.close();
    },
  );

  test('a byte of a frame flipped on disk is found when the session is loaded', async () => {
    const path = freshFile();
    const journal = sqliteJournal({ path, hash: sha256 });
    const first = draft(sha256);
    await journal.append(first);
    await journal.append(draft(sha256, { after: first.frame, events: '["the words of frame two"]' }));
    await journal.close();
    flipByte(path, 'the words of frame two');
    const again = sqliteJournal({ path, hash: sha256 });
    await expect(again.load('sess_1')).rejects.toMatchObject({ code: 'store_corrupt', path: '/frames/2' });
    await again.close();
  });
});

/** Flips the lowest bit of one byte in the middle of a text, in the file itself. */
function flipByte(path: string, text: string): void {
  const bytes = readFileSync(path);
  const place = bytes.indexOf(text) + Math.floor(text.length / 2);
  expect(bytes.lastIndexOf(text)).toBe(bytes.indexOf(text));
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  writeFileSync(path, bytes);
}

test('a thread opens the file after the last connection of its process has closed and removed the log', () => {
  const path = freshFile();
  const first = holdConnection(path, { busyTimeoutMs: 1 });
  first.get();
  first.assertInPlace();
  const { place } = first;
  expect(place?.log).toMatch(/^\d+:\d+$/);
  first.close();
  const thread = holdConnection(path, { busyTimeoutMs: 1, place });
  expect(() => thread.get()).not.toThrow();
  thread.close();
});
