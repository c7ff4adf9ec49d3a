/** Alterations of a store file, and whether each is noticed. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { serialize } from 'node:v8';
import { ajvSchemaCheck } from '../../src/adapters/ajv/ajv-schema-check.ts';
import { ed25519, signText } from '../../src/adapters/node/ed25519.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { openSqliteConnection } from '../../src/adapters/sqlite/connection.ts';
import { checkStore } from '../../src/adapters/sqlite/tools/check.ts';
import { sqliteStoreTools } from '../../src/adapters/sqlite/tools/store-tools.ts';
import { GUARDS } from '../../src/kernel/query/guards.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import type { RebuildRows, StoreTools } from '../../src/ports/store/store-tools.ts';
import { rowRebuilder } from '../../src/runtime/records/rebuild-rows.ts';
import { freshFile } from '../journal/sqlite-store.ts';
import { type Answers, buildSmallStore, type Known, readEverything } from './small-store.ts';

/** Derives rows, with the schemas of recorded tools compiled once for all checks. */
const rebuild = rowRebuilder({ hash: sha256, schemas: () => ajvSchemaCheck().compile, guards: GUARDS });
const tools: StoreTools = sqliteStoreTools({
  hash: sha256,
  signatures: ed25519,
  sign: signText,
  rebuild: () => rebuild,
});

/** The unaltered store, and what the product reads of it. */
export interface Original {
  readonly path: string;
  readonly known: Known;
  readonly answers: Answers;
  readonly content: Buffer;
}

/** Builds a small store in a folder that is removed with the test. */
export async function buildOriginal(): Promise<Original> {
  const path = freshFile();
  await buildSmallStore(path);
  return await originalOf(path);
}

export async function originalOf(path: string): Promise<Original> {
  const { problems, unverified } = tools.check(path);
  if (problems.length + unverified.length > 0) throw new Error(JSON.stringify({ problems, unverified }));
  const db = new DatabaseSync(path, { readOnly: true });
  const sessions = db.prepare('select session_id from sessions').all();
  const texts = db.prepare('select address from blobs').all();
  db.close();
  const known: Known = {
    sessions: sessions.map((row) => String(row['session_id'])),
    texts: texts.map((row) => row['address'] as `sha256:${string}`),
  };
  const content = contentOf(path);
  if (content === null) throw new Error(`SQLite finds a fault in ${path}`);
  return { path, known, content, answers: await readEverything(path, known) };
}

/**
 * Whether an alteration is `found` by `check`, or else leaves every answer the `same` (or a fault). Any other text says
 * which read gives another answer unnoticed.
 */
export async function noticed({ known, answers }: Original, path: string): Promise<string> {
  try {
    const { problems, unverified } = tools.check(path);
    if (problems.length + unverified.length > 0) return 'found';
  } catch (error) {
    if (Fault.is(error)) return 'found';
    throw error;
  }
  for (const [name, value] of await readEverything(path, known))
    if (value !== answers.get(name) && !value.startsWith('fault '))
      return `${name}: ${value} instead of ${answers.get(name)}`;
  return 'same';
}

/** One value of one row. */
export interface Cell {
  readonly table: string;
  readonly column: string;
  /** The values of its row, by column. */
  readonly row: Readonly<Record<string, unknown>>;
}

/** Every value of a store, apart from the leases of processes, which are valid for seconds. */
export function cellsOf(path: string): readonly Cell[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db.prepare("select name from sqlite_schema where type = 'table' and name <> 'drivers'").all();
  const cells = tables.flatMap(({ name }) =>
    db
      .prepare(`select * from ${name}`)
      .all()
      .flatMap((row) => Object.keys(row).map((column) => ({ table: String(name), column, row: { ...row } }))),
  );
  db.close();
  return cells;
}

/** The number of bytes of a value; a number counts as six bytes, and an absent value as one. */
export function bytesOf({ row, column }: Cell): number {
  const value = row[column];
  if (typeof value === 'number') return 6;
  return value === null ? 1 : Buffer.from(value as string | Uint8Array).length;
}

/** The value with one bit of one byte changed. A changed text stays valid UTF-8. */
function changed(value: unknown, place: number): SQLInputValue {
  if (value === null) return 7;
  if (typeof value === 'number') return value + 256 ** place;
  const bytes = Buffer.from(value as string | Uint8Array);
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  return typeof value === 'string' ? bytes.toString('utf8') : bytes;
}

/** Changes one byte of one value in a copy of the store. False if the file refuses such a value. */
export function changeByte(original: string, copy: string, cell: Cell, place: number): boolean {
  copyFileSync(original, copy);
  const db = new DatabaseSync(copy, { enableForeignKeyConstraints: false });
  try {
    return updateByte(db, cell, place);
  } finally {
    db.close();
  }
}

/** Changes one byte of one value. False if the table refuses such a value. */
function updateByte(db: DatabaseSync, { table, column, row }: Cell, place: number): boolean {
  const where = Object.keys(row)
    .map((name) => `${name} is ?`)
    .join(' and ');
  const values = Object.values(row) as SQLInputValue[];
  try {
    const value = changed(row[column], place);
    const set = db.prepare(`update ${table} set ${column} = ? where ${where}`);
    try {
      set.run(value, ...values);
    } catch {
      set.run(`${value}`, ...values);
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Tries changed bytes inside one connection, and rolls each back. This takes a fraction of the time of a changed copy,
 * because the file is opened once. Rows are derived only if the hashes show no problem.
 */
export function byteTrial({ path }: Original): ByteTrial {
  const connection = openSqliteConnection(path, { busyTimeoutMs: 5_000 });
  const { db } = connection;
  db.exec('pragma foreign_keys = off');
  const hasProblem = (rebuildRows: RebuildRows): boolean => {
    const { problems, unverified } = checkStore(connection, { hash: sha256, rebuild: rebuildRows, publicKey: null });
    return problems.length > 0 || (rebuildRows === rebuild && unverified.length > 0);
  };
  return {
    isUnaltered: () => !hasProblem(rebuild),
    isFound: (cell, place) => {
      db.exec('begin');
      try {
        return updateByte(db, cell, place) && (hasProblem(() => ({ why: 'not derived' })) || hasProblem(rebuild));
      } finally {
        db.exec('rollback');
      }
    },
    close: () => db.close(),
  };
}

export interface ByteTrial {
  /** Whether the check finds a changed byte. False if the table refuses the value. */
  readonly isFound: (cell: Cell, place: number) => boolean;
  /** Whether the check finds no problem, as it must between two trials. */
  readonly isUnaltered: () => boolean;
  readonly close: () => void;
}

/** Flips one bit of a file in a copy. */
export function flipBit(original: string, copy: string, bit: number): void {
  const bytes = readFileSync(original);
  const place = Math.floor(bit / 8) % bytes.length;
  bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << (bit % 8)), place);
  for (const end of ['-wal', '-shm']) writeFileSync(`${copy}${end}`, '');
  writeFileSync(copy, bytes);
}

/** SQLite's own header: its fields decide how the file is opened. */
const HEADER_BITS = 100 * 8;

/**
 * Whether a flipped bit lies where the file holds nothing: SQLite finds no fault in the pages and indexes, and every
 * table has the same rows. All reads of the product are queries, so their answers are then the same too.
 */
export function isUnusedBit({ content }: Original, copy: string, bit: number): boolean {
  if (bit < HEADER_BITS) return false;
  const found = contentOf(copy);
  return found !== null && content.equals(found);
}

/** The definitions and rows of a file. Null if SQLite finds a fault in it. */
function contentOf(path: string): Buffer | null {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const [checked] = db.prepare('pragma integrity_check').all();
    if (checked?.['integrity_check'] !== 'ok') return null;
    const definitions = db.prepare('select * from sqlite_schema').all();
    const tables = definitions.filter(({ type }) => type === 'table');
    return serialize([definitions, ...tables.map(({ name }) => db.prepare(`select * from ${name} not indexed`).all())]);
  } catch {
    return null;
  } finally {
    db.close();
  }
}

/** A repeatable sequence of whole numbers below 2^32. */
export function* seededNumbers(seed: number): Generator<number> {
  let state = seed >>> 0;
  for (;;) {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    yield (mixed ^ (mixed >>> 16)) >>> 0;
  }
}
