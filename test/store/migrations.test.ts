/** Files that were written by released versions are kept under test/journals for ever, and are opened by every later one. */
import { copyFileSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { openConnection } from '../../src/adapters/sqlite/connection.ts';
import { unpackText } from '../../src/adapters/sqlite/packed-text.ts';
import { SCHEMA_VERSION } from '../../src/adapters/sqlite/schema.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { storeTools } from '../../src/compose.ts';
import { draft } from '../../src/testing/contracts/journal/draft.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { rig } from '../runs/rig.ts';
import { KEPT_SHOP } from './kept-shop.ts';

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

/** Asks a file as it lies there, with nothing but SQL. */
function asked<T>(path: string, ask: (all: (sql: string) => Rows) => T): T {
  const db = new DatabaseSync(path, { readOnly: true });
  const said = ask((sql) =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })),
  );
  db.close();
  return said;
}

/** Everything that format 3 said about its sessions. */
function saidInFormat3(path: string): {
  readonly frames: Rows;
  readonly sessions: Rows;
  readonly effects: Rows;
  readonly checkpoints: Rows;
  readonly blobs: Rows;
  readonly gates: Rows;
} {
  return asked(path, (all) => ({
    frames: all('select session_id, seq, at, writer, events, hash from frames order by session_id, seq'),
    sessions: all('select * from sessions order by updated_at desc, session_id'),
    effects: all('select * from effects order by rowid'),
    checkpoints: all('select * from checkpoints order by rowid'),
    blobs: all('select * from blobs'),
    gates: all('select * from gates order by opened_at, gate_id'),
  }));
}

test('a file of format 3 is taken forward when it is opened, and says what it said', async () => {
  const said = saidInFormat3(copyOf(FORMAT_3));
  expect([said.frames, said.effects, said.checkpoints, said.gates].map(({ length }) => length > 0)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  const journal = sqliteJournal({ path: copyOf(FORMAT_3), hash: sha256 });
  // When a session began stands in its first frame; what a gate of then was about stands in its packet alone.
  const began = (id: unknown): unknown =>
    said.frames.find(({ session_id, seq }) => session_id === id && seq === 1)?.['at'];
  expect(await journal.list({})).toEqual(
    said.sessions.map((row) => ({ ...row, started_at: began(row['session_id']) })),
  );
  expect(await journal.gates({})).toEqual(said.gates.map((row) => ({ ...row, action: '' })));
  expect(await journal.refusedGrants()).toEqual([]);
  for (const { session_id } of said.sessions) {
    const frames = await journal.load(String(session_id));
    expect(frames.map(({ session, prev: _, ...frame }) => ({ session_id: session, ...frame }))).toEqual(
      said.frames.filter((frame) => frame['session_id'] === session_id),
    );
    expect(await journal.effects(String(session_id))).toEqual(
      said.effects.filter((effect) => effect['session_id'] === session_id),
    );
  }
  for (const { address, text } of said.blobs) expect(await journal.blob(address as `sha256:${string}`)).toBe(text);
  for (const row of said.checkpoints) {
    const found = await journal.checkpoint(String(row['checkpoint_id']));
    expect(found.row).toEqual(row);
    expect(await journal.latestCheckpoint(String(row['session_id']))).not.toBeNull();
  }
  for (const row of said.effects)
    expect(await journal.effect(String(row['session_id']), String(row['idempotency_key']))).toEqual(row);
  await journal.close();
});

test('a session of an old file began with its first frame, however long it has gone on', async () => {
  const path = copyOf(FORMAT_3);
  const old = new DatabaseSync(path);
  old.exec('update frames set at = at + 1000 * seq; update sessions set updated_at = updated_at + 1000 * seq');
  old.close();
  const firsts = saidInFormat3(path).frames.filter(({ seq }) => seq === 1);
  const journal = sqliteJournal({ path, hash: sha256 });
  const rows = await journal.list({});
  await journal.close();
  expect(rows.some(({ seq }) => seq > 1)).toBe(true);
  for (const { session_id, started_at } of rows)
    expect(started_at).toBe(firsts.find((frame) => frame['session_id'] === session_id)?.['at']);
});

/** Everything that format 4 said about its sessions; what is large is packed in it. */
function saidInFormat4(path: string): {
  readonly frames: Rows;
  readonly sessions: Rows;
  readonly gates: Rows;
  readonly grants: Rows;
  readonly switches: Rows;
  readonly keys: Rows;
} {
  return asked(path, (all) => ({
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

test('a file of format 4 is taken forward when it is opened, and says what it said', async () => {
  const path = copyOf(FORMAT_4);
  const said = saidInFormat4(copyOf(FORMAT_4));
  expect(Object.values(said).map(({ length }) => length > 0)).toEqual(Object.keys(said).map(() => true));
  const journal = sqliteJournal({ path, hash: sha256 });
  const began = (id: unknown): unknown =>
    said.frames.find(({ session_id, seq }) => session_id === id && seq === 1)?.['at'];
  const pruned = said.sessions.filter(({ last_row }) => last_row === 0).map(({ session_id }) => session_id);
  expect(pruned).toHaveLength(1);
  // Where a session's frames are gone, nobody knows better than its last change.
  expect(await journal.list({})).toEqual(
    said.sessions.map(({ sid: _, last_row, checkpoints, ...row }) => ({
      ...row,
      started_at: began(row['session_id']) ?? row['updated_at'],
    })),
  );
  expect(await journal.gates({})).toEqual(said.gates.map((row) => ({ ...row, action: '' })));
  expect(await journal.refusedGrants()).toEqual([]);
  expect(
    (await journal.standingGrants()).map(({ grant, uses, microusd }) => ({ grant_id: grant.grant_id, uses, microusd })),
  ).toEqual(said.grants);
  expect((await journal.killSwitches()).map(({ lifted }) => lifted !== null)).toEqual(
    said.switches.map(({ lifted_json }) => lifted_json !== null),
  );
  for (const { session_id, checkpoints } of said.sessions) {
    const id = String(session_id);
    if (pruned.includes(id)) {
      await expect(journal.load(id)).rejects.toMatchObject({ code: 'session_pruned' });
      continue;
    }
    const frames = await journal.load(id);
    expect(frames.map(({ session, prev: _, ...frame }) => ({ session_id: session, ...frame }))).toEqual(
      said.frames.filter((frame) => frame['session_id'] === id),
    );
    const latest = await journal.latestCheckpoint(id);
    expect(latest?.checkpoint_id).toBe(`ck_${id}_${Number(checkpoints)}`);
    expect((await journal.checkpoint(`ck_${id}_1`)).text).toContain(id);
  }
  for (const { session_id, key } of said.keys)
    expect(await journal.effect(String(session_id), String(key))).toMatchObject({ session_id, idempotency_key: key });
  await journal.close();
  expect(storeTools.check(path)).toMatchObject({ format: SCHEMA_VERSION, pruned: 1, problems: [] });
});

/** The ledger of each session as format 5 kept it: its lines beside the frames, and an index of all keys. */
const saidInFormat5 = (path: string): { readonly keys: Rows; readonly notes: Rows; readonly sessions: Rows } =>
  asked(path, (all) => ({
    keys: all(
      `select session_id, lower(hex(key)) as key from effect_keys k join frames f using (row) join sessions using (sid)
       order by k.row`,
    ),
    notes: all('select row, notes, texts from extras order by row'),
    sessions: all('select * from sessions order by sid'),
  }));

test('a file of format 5 loses its index of keys when it is opened, and no line of any ledger', async () => {
  const said = saidInFormat5(copyOf(FORMAT_5));
  expect(said.keys).toHaveLength(7);
  const path = copyOf(FORMAT_5);
  const journal = sqliteJournal({ path, hash: sha256 });
  for (const { session_id, key } of said.keys) {
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
  const now = asked(path, (all) => ({
    notes: all('select row, notes, texts from extras order by row'),
    sessions: all('select * from sessions order by sid'),
  }));
  expect(now).toEqual({ notes: said.notes, sessions: said.sessions });
  expect(asked(path, (all) => all("select name from sqlite_schema where name like '%effect_keys%'"))).toEqual([]);
  expect(storeTools.check(path)).toMatchObject({ format: SCHEMA_VERSION, pruned: 1, problems: [] });
});

test('a run that died in format 5 goes on: what it settled is not sent again, and what was on its way has its key', async () => {
  const journal = sqliteJournal({ path: copyOf(FORMAT_5), hash: sha256 });
  const [, pay] = await journal.effects('run_dead');
  const bench = rig({ ...KEPT_SHOP, world: { journal } });
  const outcome = await bench.settle(bench.runtime.resume('run_dead'));
  expect(outcome).toMatchObject({ status: 'awaiting_gate', pending: [{ name: 'GATE_POST' }] });
  expect(bench.dispatches.map(({ tool, key }) => [tool, key])).toEqual([['pay', pay?.idempotency_key]]);
  expect(await journal.effect('run_dead', pay?.idempotency_key ?? '')).toMatchObject({ state: 'settled' });
  await journal.close();
});

test.each(EVERY)('a session goes on where format %s left it', async (_format, file) => {
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

test.each(EVERY)(
  'two that find a file of format %s at the same moment both get a journal of the new one',
  (_format, file) => {
    const path = copyOf(file);
    const [one, two] = [openConnection(path, { busyTimeoutMs: 5_000 }), openConnection(path, { busyTimeoutMs: 5_000 })];
    for (const { db } of [one, two]) {
      expect(db.prepare('pragma user_version').get()).toEqual({ user_version: SCHEMA_VERSION });
      expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
      db.close();
    }
  },
);

test('a file that cannot be taken forward is left as it was', () => {
  const path = copyOf(FORMAT_3);
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec("update gates set session_id = 'run_of_nobody'");
  db.close();
  const before = saidInFormat3(path);
  expect(() => openConnection(path, { busyTimeoutMs: 1 })).toThrow('refers to rows that it does not have');
  expect(saidInFormat3(path)).toEqual(before);
  expect(readFileSync(FORMAT_3).length).toBeGreaterThan(0);
});
