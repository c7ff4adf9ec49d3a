/** Verification finds a single flipped bit anywhere in the file of a store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
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

/** Flips one bit of every value of a column, one row at a time, and restores it afterwards. */
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

test('finds each flipped bit in frames and blobs and names its place', async () => {
  const path = join(folder, 'store.db');
  const first = bench(path);
  const { runId } = await first.invoke();
  const { runId: second } = await first.invoke();
  const intact = await first.runtime.records.verify();
  expect(intact).toMatchObject({ runs: 2, damaged: [] });
  expect(intact.frames).toBe(
    (await first.runtime.records.frames(runId)).length + (await first.runtime.records.frames(second)).length,
  );
  expect(intact.blobs).toBeGreaterThan(6);
  expect(intact.checkpoints).toBeGreaterThan(4);
  expect(await first.runtime.records.verify(runId)).toMatchObject({ runs: 1, damaged: [] });
  // Verification does not need the run's agent.
  const stranger = rig({
    tools: { other: { produces: ['done'] } },
    options: { graph: 'supervised' },
    world: { journal: first.journal },
  });
  expect(await stranger.runtime.records.verify()).toEqual(intact);
  await first.runtime.close();
  open.length = 0;
  const columns = columnsOf(path);
  expect(columns.length).toBeGreaterThan(3);
  let flips = 0;
  for (const [table, column] of columns) {
    for (const where of flipped(path, table, column)) {
      flips += 1;
      const later = bench(path, []);
      const { damaged } = await later.runtime.records.verify();
      await later.runtime.close();
      open.length = 0;
      expect({ where, found: damaged.length > 0 }).toEqual({ where, found: true });
      expect(damaged.every(({ place, message }) => place !== '' && message !== '')).toBe(true);
    }
  }
  expect(flips).toBeGreaterThan(20);
  const after = bench(path, []);
  expect((await after.runtime.records.verify()).damaged).toEqual([]);
  await expect(after.runtime.records.verify('run_none')).rejects.toMatchObject({ code: 'session_not_found' });
});

test('finds swapped checkpoints, although each of them is intact', async () => {
  const path = freshFile();
  const { runId } = await bench(path).invoke();
  const database = new DatabaseSync(path);
  const [third, fourth] = [`ck_${runId}_3`, `ck_${runId}_4`];
  const { changes } = database
    .prepare('UPDATE extras SET notes = replace(notes, ?, ?) WHERE notes LIKE ?')
    .run(`["${third}",0],["${fourth}",1]`, `["${third}",1],["${fourth}",0]`, `%${third}%`);
  database.close();
  expect(changes).toBe(1);
  const { damaged } = await bench(path, []).runtime.records.verify(runId);
  expect(damaged).toMatchObject([third, fourth].map((place) => ({ what: 'checkpoint', place })));
});

/** Every text and blob column of the tables of frames and blobs. */
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

/** Columns that are derived from the frames, so verification does not depend on them. */
const KEYS: ReadonlySet<string> = new Set(['session', 'session_id', 'seq', 'at', 'notes']);
