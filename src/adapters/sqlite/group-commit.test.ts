import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { freshFile } from '../../../test/journal/sqlite-store.ts';
import type { Append, FaultPoint, Journal } from '../../ports/journal/journal.ts';
import { draft } from '../../testing/contracts/journal/draft.ts';
import { armedFaults } from '../../testing/contracts/journal/failing.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { commitGroup } from './commit-group.ts';
import { openSqliteConnection } from './connection.ts';
import { sqliteJournal } from './sqlite-journal.ts';

const SESSIONS = Array.from({ length: 32 }, (_, index) => `sess_${index}`);
const firstFrames = (): Append[] => SESSIONS.map((session) => draft(sha256, { session }));
const codes = async (promises: readonly Promise<void>[]): Promise<unknown[]> =>
  (await Promise.allSettled(promises)).map((result) => (result.status === 'rejected' ? result.reason.code : 'stored'));
const lengths = async (journal: Journal): Promise<number[]> =>
  Promise.all(SESSIONS.map(async (session) => (await journal.load(session)).length));

describe('group commit', () => {
  test('stores all appends of one turn with one commit', async () => {
    const reached: FaultPoint[] = [];
    const journal = sqliteJournal({ path: freshFile(), hash: sha256, faults: (point) => reached.push(point) });
    await Promise.all(firstFrames().map((append) => journal.append(append)));
    expect(reached).toEqual(['before_commit', 'after_commit']);
    await journal.append(draft(sha256, { session: 'sess_later' }));
    expect(reached).toHaveLength(4);
    await journal.close();
  });

  test('resolves no append before the commit', async () => {
    const answered: string[] = [];
    let answeredAtCommit = -1;
    const journal = sqliteJournal({
      path: freshFile(),
      hash: sha256,
      faults: () => {
        answeredAtCommit = answered.length;
      },
    });
    await Promise.all(firstFrames().map((append) => journal.append(append).then(() => answered.push(append.session))));
    expect(answeredAtCommit).toBe(0);
    expect(answered).toHaveLength(32);
    await journal.close();
  });

  for (const point of ['before_commit', 'after_commit'] as const) {
    test(`an error at ${point} makes every append unknown, and all can be sent again`, async () => {
      const faults = armedFaults();
      const journal = sqliteJournal({ path: freshFile(), hash: sha256, faults: faults.points });
      const appends = firstFrames();
      faults.arm(point);
      const first = await codes(appends.map((append) => journal.append(append)));
      expect(new Set(first)).toEqual(new Set(['store_unknown']));
      const stored = point === 'after_commit' ? 1 : 0;
      expect(new Set(await lengths(journal))).toEqual(new Set([stored]));
      expect(new Set(await codes(appends.map((append) => journal.append(append))))).toEqual(new Set(['stored']));
      expect(new Set(await lengths(journal))).toEqual(new Set([1]));
      await journal.close();
    });
  }

  test('reads the file on a new connection after an unknown commit', async () => {
    const path = freshFile();
    const faults = armedFaults();
    const journal = sqliteJournal({ path, hash: sha256, faults: faults.points });
    faults.arm('after_commit');
    expect(await codes([journal.append(draft(sha256))])).toEqual(['store_unknown']);
    renameSync(path, `${path}.moved`);
    // A new connection would open the path, and the open one would still read the moved file.
    await expect(journal.load('sess_1')).rejects.toMatchObject({ code: 'store_replaced' });
    await journal.close();
    const moved = sqliteJournal({ path: `${path}.moved`, hash: sha256 });
    expect(await moved.load('sess_1')).toHaveLength(1);
    await moved.close();
  });

  test('on a full disk, stores nothing of what does not fit, and all of it once there is space', () => {
    const connection = openSqliteConnection(freshFile(), { busyTimeoutMs: 1 });
    const { db } = connection;
    const big = JSON.stringify([randomBytes(100_000).toString('hex')]);
    const group = [draft(sha256, { session: 'sess_a' }), draft(sha256, { session: 'sess_big', events: big })];
    const pages = Number(db.prepare('pragma page_count').get()?.['page_count']);
    db.exec(`pragma max_page_count = ${pages + 4}`);
    const full = commitGroup(connection, group, undefined);
    const stored = db.prepare('select session_id from sessions join frames using (sid) order by session_id').all();
    expect(full).toMatchObject({ kind: 'settled', outcomes: [null, { code: 'store_unavailable' }] });
    expect(stored).toEqual([{ session_id: 'sess_a' }]);
    db.exec('pragma max_page_count = 1000000');
    expect(commitGroup(connection, group, undefined)).toEqual({ kind: 'settled', outcomes: [null, null] });
    expect(db.prepare('select count(*) as n from frames').get()).toEqual({ n: 2 });
    db.close();
  });
});

describe.each(['inline', 'thread'] as const)('group commit, %s', (writer) => {
  test('stores more appends than one group holds, in order', async () => {
    const journal = sqliteJournal({ path: freshFile(), hash: sha256, writer });
    const appends: Append[] = [draft(sha256)];
    for (let seq = 2; seq <= 1_200; seq += 1) appends.push(draft(sha256, { after: (appends.at(-1) as Append).frame }));
    await Promise.all(appends.map((append) => journal.append(append)));
    expect(await journal.load('sess_1')).toEqual(appends.map(({ frame }) => frame));
    await journal.close();
  });

  test('a row that the table rejects fails only its own append', async () => {
    const journal = sqliteJournal({ path: freshFile(), hash: sha256, writer });
    const bad = draft(sha256, { session: 'sess_bad', row: { last_seen: Number.NaN } });
    const group = [draft(sha256, { session: 'sess_a' }), bad, draft(sha256, { session: 'sess_b' })];
    expect(await codes(group.map((append) => journal.append(append)))).toEqual(['stored', 'input_invalid', 'stored']);
    expect(await journal.load('sess_bad')).toEqual([]);
    expect(await journal.load('sess_b')).toHaveLength(1);
    await journal.close();
  });

  test('stores nothing while another process holds the lock, and everything afterwards', async () => {
    const path = freshFile();
    const journal = sqliteJournal({ path, hash: sha256, writer, busyTimeoutMs: 1 });
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const appends = firstFrames();
    expect(new Set(await codes(appends.map((append) => journal.append(append))))).toEqual(
      new Set(['store_unavailable']),
    );
    expect(new Set(await lengths(journal))).toEqual(new Set([0]));
    other.exec('rollback');
    other.close();
    await Promise.all(appends.map((append) => journal.append(append)));
    expect(new Set(await lengths(journal))).toEqual(new Set([1]));
    await journal.close();
  });
});
