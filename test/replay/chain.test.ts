/** A single bit that was flipped in the file of a store is found, wherever it is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { planOf, type Rig, type RigOptions, rig } from '../runs/rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'ambit-chain-'));
const open: Rig[] = [];
afterEach(async () => {
  for (const bench of open.splice(0)) await bench.runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

const OPTIONS: RigOptions = {
  tools: { look: { execute: () => ({ total: 42, text: 'x'.repeat(150_000) }) }, finish: { produces: ['done'] } },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'finish', depends_on: ['a'] },
    ]),
    planOf([{ id: 'a', tool: 'finish' }]),
  ],
};

function bench(path: string, plans: RigOptions['plans'] = OPTIONS.plans ?? []): Rig {
  const made = rig({ ...OPTIONS, plans: plans ?? [], world: { journal: sqliteJournal({ path, hash: sha256 }) } });
  open.push(made);
  return made;
}

/** Every value of a column, one row at a time, with one bit flipped and then put back. */
function* flipped(path: string, table: string, column: string): Generator<string> {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA foreign_keys = OFF');
  const rows = database.prepare(`SELECT rowid AS id, ${column} AS value FROM ${table}`).all();
  for (const { id, value } of rows as { id: number; value: string | Uint8Array | number | null }[]) {
    if (typeof value === 'number' || value === null) continue;
    const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);
    const at = Math.floor(bytes.length / 2);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const write = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
    write.run(typeof value === 'string' ? changed.toString('utf8') : changed, id);
    yield `${table}.${column} of row ${id}`;
    write.run(value, id);
  }
  database.close();
}

test('frames and blobs: each flipped bit is found and its place is named', async () => {
  const path = join(folder, 'store.db');
  const first = bench(path);
  const { runId } = await first.invoke();
  const { runId: second } = await first.invoke();
  const whole = await first.runtime.verifyChain();
  expect(whole).toMatchObject({ runs: 2, damaged: [] });
  expect(whole.frames).toBe((await first.runtime.frames(runId)).length + (await first.runtime.frames(second)).length);
  expect(whole.blobs).toBeGreaterThan(6);
  expect(whole.checkpoints).toBeGreaterThan(4);
  expect(await first.runtime.verifyChain(runId)).toMatchObject({ runs: 1, damaged: [] });
  // Whoever looks need not have the agent.
  const stranger = rig({
    tools: { other: { produces: ['done'] } },
    options: { graph: 'supervised' },
    world: { journal: first.journal },
  });
  expect(await stranger.runtime.verifyChain()).toEqual(whole);
  await first.runtime.close();
  open.length = 0;
  const columns = columnsOf(path);
  expect(columns.length).toBeGreaterThan(3);
  let flips = 0;
  for (const [table, column] of columns) {
    for (const where of flipped(path, table, column)) {
      flips += 1;
      const later = bench(path, []);
      const { damaged } = await later.runtime.verifyChain();
      await later.runtime.close();
      open.length = 0;
      expect({ where, found: damaged.length > 0 }).toEqual({ where, found: true });
      expect(damaged.every(({ place, message }) => place !== '' && message !== '')).toBe(true);
    }
  }
  expect(flips).toBeGreaterThan(20);
  const after = bench(path, []);
  expect((await after.runtime.verifyChain()).damaged).toEqual([]);
  await expect(after.runtime.verifyChain('run_none')).rejects.toMatchObject({ code: 'session_not_found' });
});

test('checkpoints that changed places are found, although each of them is whole', async () => {
  const path = freshFile();
  const { runId } = await bench(path).invoke();
  const database = new DatabaseSync(path);
  const [third, fourth] = [`ck_${runId}_3`, `ck_${runId}_4`];
  const { changes } = database
    .prepare('UPDATE extras SET notes = replace(notes, ?, ?) WHERE notes LIKE ?')
    .run(`["${third}",0],["${fourth}",1]`, `["${third}",1],["${fourth}",0]`, `%${third}%`);
  database.close();
  expect(changes).toBe(1);
  const { damaged } = await bench(path, []).runtime.verifyChain(runId);
  expect(damaged).toMatchObject([third, fourth].map((place) => ({ what: 'checkpoint', place })));
});

/** What holds the words of a run: every text and blob column of the tables of frames and of blobs. */
function columnsOf(path: string): readonly (readonly [string, string])[] {
  const database = new DatabaseSync(path);
  const tables = (database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => /^(frames|blobs|extras)$/.test(name));
  const columns = tables.flatMap((table) =>
    (database.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[])
      .filter(({ name }) => !KEYS.has(name))
      .map(({ name }) => [table, name] as const),
  );
  database.close();
  return columns;
}

/** Places and rows: what can be asked about many runs is made from the frames, and is not what anybody relies on. */
const KEYS: ReadonlySet<string> = new Set(['session', 'session_id', 'seq', 'at', 'notes']);
