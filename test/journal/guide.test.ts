import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { FAULT_CODES } from '../../src/model/fault/fault-table.ts';
import { FAULT_POINTS } from '../../src/ports/journal/journal.ts';
import { freshFile } from './sqlite-store.ts';

const GUIDE = readFileSync(new URL('../../docs/concepts/journal.md', import.meta.url), 'utf8');
const inTicks = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);

test('the guide names the tables of a new file', async () => {
  const path = freshFile();
  await sqliteJournal({ path, hash: sha256 }).close();
  const db = new DatabaseSync(path);
  const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  db.close();
  const sentence = /The tables are plain[^.]*\./.exec(GUIDE)?.[0] ?? '';
  expect(inTicks(sentence).sort()).toEqual(tables.map(({ name }) => name));
});

test('the guide names only existing faults and fault points', () => {
  const rows = [...GUIDE.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  expect(rows.length).toBeGreaterThan(5);
  const faults: readonly string[] = FAULT_CODES;
  expect(rows.filter((code) => code?.includes('_') && !faults.includes(code))).toEqual([]);
  expect(inTicks(GUIDE)).toEqual(expect.arrayContaining([...FAULT_POINTS]));
});
