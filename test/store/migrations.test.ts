/** The files of released versions are kept under test/journals for ever, and every later version opens them. */
import { copyFileSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { openSqliteConnection } from '../../src/adapters/sqlite/connection.ts';
import { unpackText } from '../../src/adapters/sqlite/open-database.ts';
import { SCHEMA_VERSION } from '../../src/adapters/sqlite/schema.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { keyTools, storeTools } from '../../src/compose.ts';
import { GENESIS } from '../../src/model/events/frame.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { planOf, rig } from '../runs/rig.ts';
import { addPermission } from './forge.ts';
import { FORMAT_5_SHOP } from './format-5-shop.ts';

const FORMAT_3 = fileURLToPath(new URL('../journals/format-3.sqlite', import.meta.url));
const FORMAT_4 = fileURLToPath(new URL('../journals/format-4.sqlite', import.meta.url));
const FORMAT_5 = fileURLToPath(new URL('../journals/format-5.sqlite', import.meta.url));
const EVERY = [
  ['3', FORMAT_3],
  ['4', FORMAT_4],
  ['5', FORMAT_5],
] as const;

function copyOf(file: string): string {
  const path = freshFile();
  copyFileSync(file, path);
  return path;
}

type Rows = readonly Record<string, unknown>[];

/** Queries a file with plain SQL, without opening it as a journal. */
function queryFile<T>(path: string, ask: (all: (sql: string) => Rows) => T): T {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = ask((sql) =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })),
  );
  db.close();
  return rows;
}

/** The content of a file of format 3. */
function readFormat3(path: string): {
  readonly frames: Rows;
  readonly sessions: Rows;
  readonly effects: Rows;
  readonly checkpoints: Rows;
  readonly blobs: Rows;
  readonly gates: Rows;
} {
  return queryFile(path, (all) => ({
    frames: all('select session_id, seq, at, writer, events, hash from frames order by session_id, seq'),
    sessions: all('select * from sessions order by updated_at desc, session_id'),
    effects: all('select * from effects order by rowid'),
    checkpoints: all('select * from checkpoints order by rowid'),
    blobs: all('select * from blobs'),
    gates: all('select * from gates order by opened_at, gate_id'),
  }));
}

/** Replaces the chain of permissions by the tables of format 7, which hold nothing. */
const FORMAT_7_PERMISSIONS = `drop table permissions; drop table permission_head;
  create table standing_grants (grant_id text not null primary key, tenant_id text not null, tool text not null,
    grant_json text not null, revoked_json text, uses integer not null, microusd integer not null) strict;
  create table standing_uses (grant_id text not null references standing_grants (grant_id), session_id text not null,
    step_id text not null, used_at integer not null, microusd integer not null) strict;
  create index standing_uses_by_grant on standing_uses (grant_id);
  create table refused_grants (tenant_id text not null, refused_json text not null) strict;
  create index refused_grants_by_tenant on refused_grants (tenant_id);
  create table pruned (sid integer primary key, record text) strict;
  create table kill_switches (switch_id text not null primary key, switch_json text not null, lifted_json text) strict;`;

/** The columns that formats 7 and 9 add, in a session without a thread. */
const NO_THREAD = { thread: null, thread_user: null, mode: 'standard' } as const;

/** Without frames, nothing tells the mode of a session. */
const modeOf = (last_row: unknown): object => (last_row === 0 ? { mode: null } : {});

/** Removes the columns that format 10 adds. */
const FORMAT_9 = 'alter table frames drop column permissions; alter table frames drop column signature;';

/** Removes what format 9 adds. */
const FORMAT_8 = `${FORMAT_9} ${[
  'sessions_in_progress',
  'sessions_by_mode',
  'sessions_by_tenant',
  'sessions_by_agent',
  'sessions_by_thread',
  'threads_by_time',
  'threads_by_tenant',
  'threads_by_user',
  'gates_by_status',
  'gates_by_tenant',
  'gates_by_packet',
  'grant_uses_by_session',
]
  .map((index) => `drop index ${index};`)
  .join(' ')}
  alter table sessions drop column mode;
  create index sessions_by_thread on sessions (tenant_id, thread, sid) where thread is not null;
  create index sessions_by_status on sessions (status, tenant_id);
  create index gates_by_status on gates (status, tenant_id);`;

test('opening a file of format 3 migrates it without changing its content', async () => {
  const before = readFormat3(copyOf(FORMAT_3));
  expect([before.frames, before.effects, before.checkpoints, before.gates].map(({ length }) => length > 0)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  const journal = sqliteJournal({ path: copyOf(FORMAT_3), hash: sha256 });
  // A session's start is in its first frame; the subject of a gate was in its packet only.
  const began = (id: unknown): unknown =>
    before.frames.find(({ session_id, seq }) => session_id === id && seq === 1)?.['at'];
  expect(await journal.list({})).toEqual(
    before.sessions.map((row) => ({ ...row, ...NO_THREAD, started_at: began(row['session_id']) })),
  );
  expect(await journal.gates({})).toEqual(before.gates.map((row) => ({ ...row, action: '' })));
  expect(await journal.refusedGrants()).toEqual([]);
  for (const { session_id } of before.sessions) {
    const frames = await journal.load(String(session_id));
    expect(frames.map(({ session, prev: _, ...frame }) => ({ session_id: session, ...frame }))).toEqual(
      before.frames.filter((frame) => frame['session_id'] === session_id),
    );
    expect(await journal.effects(String(session_id))).toEqual(
      before.effects.filter((effect) => effect['session_id'] === session_id),
    );
  }
  for (const { address, text } of before.blobs) expect(await journal.blob(address as `sha256:${string}`)).toBe(text);
  for (const row of before.checkpoints) {
    const found = await journal.checkpoint(String(row['checkpoint_id']));
    expect(found.row).toEqual(row);
    expect(await journal.latestCheckpoint(String(row['session_id']))).not.toBeNull();
  }
  for (const row of before.effects)
    expect(await journal.effect(String(row['session_id']), String(row['idempotency_key']))).toEqual(row);
  await journal.close();
});

test('a session of an old file starts with its first frame, however long it lasted', async () => {
  const path = copyOf(FORMAT_3);
  const old = new DatabaseSync(path);
  old.exec('update frames set at = at + 1000 * seq; update sessions set updated_at = updated_at + 1000 * seq');
  old.close();
  const firsts = readFormat3(path).frames.filter(({ seq }) => seq === 1);
  const journal = sqliteJournal({ path, hash: sha256 });
  const rows = await journal.list({});
  await journal.close();
  expect(rows.some(({ seq }) => seq > 1)).toBe(true);
  for (const { session_id, started_at } of rows)
    expect(started_at).toBe(firsts.find((frame) => frame['session_id'] === session_id)?.['at']);
});

/** The content of a file of format 4, in which large values are compressed. */
function readFormat4(path: string): {
  readonly frames: Rows;
  readonly sessions: Rows;
  readonly gates: Rows;
  readonly grants: Rows;
  readonly switches: Rows;
  readonly keys: Rows;
} {
  return queryFile(path, (all) => ({
    frames: all(
      'select session_id, f.seq, at, writer, events, hash from frames f join sessions using (sid) order by row',
    ).map(({ events, ...frame }) => ({ ...frame, events: unpackText(events as string | Uint8Array) })),
    sessions: all('select * from sessions order by updated_at desc, session_id'),
    gates: all('select * from gates order by opened_at, gate_id'),
    grants: all('select grant_id, uses, microusd from standing_grants'),
    switches: all('select switch_json, lifted_json from kill_switches'),
    keys: all(
      `select session_id, lower(hex(key)) as key from effect_keys k join frames f using (row) join sessions using (sid)`,
    ),
  }));
}

test('opening a file of format 4 migrates it without changing its content', async () => {
  const path = copyOf(FORMAT_4);
  const before = readFormat4(copyOf(FORMAT_4));
  expect(Object.values(before).map(({ length }) => length > 0)).toEqual(Object.keys(before).map(() => true));
  const journal = sqliteJournal({ path, hash: sha256 });
  const began = (id: unknown): unknown =>
    before.frames.find(({ session_id, seq }) => session_id === id && seq === 1)?.['at'];
  const pruned = before.sessions.filter(({ last_row }) => last_row === 0).map(({ session_id }) => session_id);
  expect(pruned).toHaveLength(1);
  // For a session without frames, the last change is the best known start.
  expect(await journal.list({})).toEqual(
    before.sessions.map(({ sid: _, last_row, checkpoints, ...row }) => ({
      ...row,
      ...NO_THREAD,
      ...modeOf(last_row),
      started_at: began(row['session_id']) ?? row['updated_at'],
    })),
  );
  expect(await journal.gates({})).toEqual(before.gates.map((row) => ({ ...row, action: '' })));
  expect(await journal.refusedGrants()).toEqual([]);
  expect(
    (await journal.standingGrants()).map(({ grant, uses, microusd }) => ({ grant_id: grant.grant_id, uses, microusd })),
  ).toEqual(before.grants);
  expect((await journal.killSwitches()).map(({ lifted }) => lifted !== null)).toEqual(
    before.switches.map(({ lifted_json }) => lifted_json !== null),
  );
  for (const { session_id, checkpoints } of before.sessions) {
    const id = String(session_id);
    if (pruned.includes(id)) {
      await expect(journal.load(id)).rejects.toMatchObject({ code: 'session_pruned' });
      continue;
    }
    const frames = await journal.load(id);
    expect(frames.map(({ session, prev: _, ...frame }) => ({ session_id: session, ...frame }))).toEqual(
      before.frames.filter((frame) => frame['session_id'] === id),
    );
    const latest = await journal.latestCheckpoint(id);
    expect(latest?.checkpoint_id).toBe(`ck_${id}_${Number(checkpoints)}`);
    expect((await journal.checkpoint(`ck_${id}_1`)).text).toContain(id);
  }
  for (const { session_id, key } of before.keys)
    expect(await journal.effect(String(session_id), String(key))).toMatchObject({ session_id, idempotency_key: key });
  await journal.close();
  expect(storeTools.check(path)).toMatchObject({ format: SCHEMA_VERSION, pruned: 1, problems: [] });
});

/** The ledger of each session in format 5: its lines next to the frames, and an index of all keys. */
const readFormat5 = (path: string): { readonly keys: Rows; readonly notes: Rows; readonly sessions: Rows } =>
  queryFile(path, (all) => ({
    keys: all(
      `select session_id, lower(hex(key)) as key from effect_keys k join frames f using (row) join sessions using (sid)
       order by k.row`,
    ),
    notes: all('select row, notes, texts from extras order by row'),
    sessions: all('select * from sessions order by sid'),
  }));

test('opening a file of format 5 drops its index of keys and keeps every ledger line', async () => {
  const before = readFormat5(copyOf(FORMAT_5));
  expect(before.keys).toHaveLength(7);
  const path = copyOf(FORMAT_5);
  const journal = sqliteJournal({ path, hash: sha256 });
  for (const { session_id, key } of before.keys) {
    const [session, other] = [String(session_id), session_id === 'run_ended' ? 'run_dead' : 'run_ended'];
    const line = await journal.effect(session, String(key));
    expect(line).toMatchObject({ session_id, idempotency_key: key });
    expect(await journal.effects(session)).toContainEqual(line);
    expect(await journal.effect(other, String(key))).toBeNull();
  }
  expect((await journal.effects('run_dead')).map(({ tool, state }) => [tool, state])).toEqual([
    ['note', 'settled'],
    ['pay', 'pending'],
  ]);
  await journal.close();
  const now = queryFile(path, (all) => ({
    notes: all('select row, notes, texts from extras order by row'),
    sessions: all('select * from sessions order by sid'),
  }));
  const sessions = before.sessions.map((row) => ({ ...row, ...NO_THREAD, ...modeOf(row['last_row']) }));
  expect(now).toEqual({ notes: before.notes, sessions });
  expect(queryFile(path, (all) => all("select name from sqlite_schema where name like '%effect_keys%'"))).toEqual([]);
  expect(storeTools.check(path)).toMatchObject({ format: SCHEMA_VERSION, pruned: 1, problems: [] });
});

test('opening a file of format 6 finds the threads that its first frames name', async () => {
  const path = freshFile();
  const older = sqliteJournal({ path, hash: sha256 });
  const bench = rig({ tools: { look: {} }, plans: [planOf([{ id: 'a', tool: 'look' }])], world: { journal: older } });
  await bench.invoke({ thread: 'th_1' });
  await bench.invoke({});
  await older.close();
  const db = new DatabaseSync(path);
  db.exec(`${FORMAT_8} drop index sessions_by_thread; alter table sessions drop column thread;
    alter table sessions drop column thread_user; ${FORMAT_7_PERMISSIONS} pragma user_version = 6`);
  db.close();
  const journal = sqliteJournal({ path, hash: sha256 });
  expect(await journal.threads({})).toMatchObject([{ thread: 'th_1', thread_user: 'agt_worker', sessions: 1 }]);
  expect(await journal.threadSessions('tenant_a', 'th_1')).toMatchObject([{ session_id: 'run_1' }]);
  await journal.close();
  expect(storeTools.check(path)).toMatchObject({ format: SCHEMA_VERSION, problems: [] });
});

test('opening a file of format 8 keeps its records of prunings and finds the mode of each session', async () => {
  const path = freshFile();
  const older = sqliteJournal({ path, hash: sha256 });
  const plan = planOf([{ id: 'a', tool: 'look' }]);
  const bench = rig({ tools: { look: { produces: ['done'] } }, plans: [plan, plan, plan], world: { journal: older } });
  await bench.invoke({});
  // Records of format 8 were made from rows without a mode.
  const before = new DatabaseSync(path);
  before.exec('update sessions set mode = null');
  before.close();
  storeTools.prune(path, { tenant: 'tenant_a', olderThanMs: 0, now: bench.clock.nowMs() });
  await bench.invoke({});
  await bench.invoke({ mode: 'long_running', runtime: { max_session_duration_ms: 3_600_000 } });
  await older.close();
  const db = new DatabaseSync(path);
  db.exec(`${FORMAT_8} pragma user_version = 8`);
  db.close();
  const journal = sqliteJournal({ path, hash: sha256 });
  const modes = (await journal.list({})).map(({ session_id, mode }) => [session_id, mode]);
  expect(Object.fromEntries(modes)).toEqual({ run_1: null, run_2: 'standard', run_3: 'long_running' });
  await journal.close();
  expect(storeTools.check(path)).toMatchObject({ format: SCHEMA_VERSION, pruned: 1, problems: [] });
});

test('opening a file of format 9 names the store after the records that it has, which no key signed', async () => {
  const path = freshFile();
  const older = sqliteJournal({ path, hash: sha256 });
  await older.append(draft(sha256));
  await older.close();
  const db = new DatabaseSync(path);
  db.exec(`${FORMAT_9} delete from permissions; update permission_head set count = 0, hash = '${GENESIS}';
    pragma user_version = 9`);
  db.close();
  const thrown = { switch_id: 'switch_1', scope: { tool: 'pay' }, thrown: { by: 'ana', reason: 'stop', at: 1 } };
  addPermission(path, { kind: 'switch_thrown', thrown: { ...thrown, lifted: null } }, null);
  const key = keyTools.newPair();
  const journal = sqliteJournal({ path, hash: sha256, anchorKey: key });
  const [first] = await journal.load('sess_1');
  if (first === undefined) throw new Error('no frame');
  await journal.append(draft(sha256, { after: first }));
  await journal.append(draft(sha256, { session: 'sess_2' }));
  expect(await journal.killSwitches()).toEqual([{ ...thrown, lifted: null }]);
  await journal.close();
  const frames = queryFile(path, (all) =>
    all('select cast(permissions as integer) as record, signature is null as unsigned from frames'),
  );
  // A session that has an unsigned frame gets no signatures.
  expect(frames).toEqual([
    { record: null, unsigned: 1 },
    { record: 2, unsigned: 1 },
    { record: 2, unsigned: 0 },
  ]);
  const report = storeTools.check(path);
  expect(report).toMatchObject({ permissions: { records: 1, unsigned: 1 }, unsigned_frames: 2, problems: [] });
  expect(report.store_id).toMatch(/^[0-9a-f-]{36}$/);
});

test('a run that died in format 5 continues: settled calls are not resent, and a call in flight keeps its key', async () => {
  const journal = sqliteJournal({ path: copyOf(FORMAT_5), hash: sha256 });
  const [, pay] = await journal.effects('run_dead');
  const bench = rig({ ...FORMAT_5_SHOP, world: { journal } });
  const outcome = await bench.settle(bench.runtime.resume('run_dead'));
  expect(outcome).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_POST' }] });
  expect(bench.dispatches.map(({ tool, key }) => [tool, key])).toEqual([['pay', pay?.idempotency_key]]);
  expect(await journal.effect('run_dead', pay?.idempotency_key ?? '')).toMatchObject({ state: 'settled' });
  await journal.close();
});

test.each(EVERY)('a session continues where format %s left it', async (_format, file) => {
  const path = copyOf(file);
  const journal = sqliteJournal({ path, hash: sha256 });
  const open = (await journal.list({})).find(({ terminal_code }) => terminal_code === null);
  const before = await journal.load(open?.session_id ?? '');
  const after = before.at(-1);
  if (after === undefined || open === undefined) throw new Error('no open session');
  await journal.append(draft(sha256, { after, writer: 'w_new', row: { tenant_id: open.tenant_id } }));
  expect(await journal.load(open.session_id)).toHaveLength(before.length + 1);
  await journal.close();
});

test.each(EVERY)('two processes that open a file of format %s at once both get a migrated journal', (_format, file) => {
  const path = copyOf(file);
  const [one, two] = [
    openSqliteConnection(path, { busyTimeoutMs: 5_000 }),
    openSqliteConnection(path, { busyTimeoutMs: 5_000 }),
  ];
  for (const { db } of [one, two]) {
    expect(db.prepare('pragma user_version').get()).toEqual({ user_version: SCHEMA_VERSION });
    expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    db.close();
  }
});

test('a file that cannot be migrated stays unchanged', () => {
  const path = copyOf(FORMAT_3);
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec("update gates set session_id = 'run_of_nobody'");
  db.close();
  const before = readFormat3(path);
  expect(() => openSqliteConnection(path, { busyTimeoutMs: 1 })).toThrow('refers to rows that it does not have');
  expect(readFormat3(path)).toEqual(before);
  expect(readFileSync(FORMAT_3).length).toBeGreaterThan(0);
});
