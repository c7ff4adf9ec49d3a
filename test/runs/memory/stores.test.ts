/** Runs the memory store contract against every store. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryStore, memoryTable } from '../../../src/adapters/memory/memory-store.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { sqliteMemory } from '../../../src/adapters/sqlite/sqlite-memory.ts';
import { MEMORY_CONTRACT, type MemoryTestStore } from '../../../src/testing/contracts/memory-contract.ts';
import { freshFile } from '../../journal/sqlite-store.ts';
import { verifies } from '../../requirements/verifies.ts';

function inProcess(): MemoryTestStore {
  const shelf = memoryTable();
  return {
    open: async () => memoryStore(shelf),
    plant: async (tenant, entryId, text) => {
      shelf.rows.set(`${tenant}\n${entryId}`, { tenant, entry_id: entryId, text, quarantine: null });
    },
  };
}

function inFile(): MemoryTestStore {
  const file = freshFile();
  return {
    open: async () => {
      const store = sqliteMemory(file);
      onTestFinished(() => store.close());
      return store;
    },
    plant: async (tenant, entryId, text) => {
      const db = new DatabaseSync(file);
      db.prepare('insert into memories values (?, ?, 1, 2000000, ?, null)').run(tenant, entryId, text);
      db.close();
    },
  };
}

const PROVES: ReadonlyMap<string, string> = new Map([
  ['recalls an entry with all fields, also from a second connection', 'memory:entry:source-link-validator-expiry'],
  ['recalls an entry until it expires', 'memory:entry:source-link-validator-expiry'],
  ['keeps a quarantined entry and never recalls it', 'memory:entry:source-link-validator-expiry'],
  ['refuses an entry without a source, a validator or an expiry', 'memory:entry:source-link-validator-expiry'],
]);

for (const [kind, empty] of [
  ['in memory', inProcess],
  ['in SQLite', inFile],
] as const) {
  describe(`memory store ${kind}`, () => {
    for (const { name, run } of MEMORY_CONTRACT) {
      const body = async (): Promise<void> => {
        await expect(run(empty())).resolves.toBeUndefined();
      };
      const requirement = PROVES.get(name);
      if (requirement === undefined) test(name, body);
      else verifies(requirement, `${name} (${kind})`, body);
    }
  });
}

test('the contract still contains every case that proves a requirement', () => {
  const names = MEMORY_CONTRACT.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...PROVES.keys()]));
});

test('rejects a file that holds something else', async () => {
  const file = freshFile();
  await sqliteJournal({ path: file, hash: sha256 }).close();
  expect(() => sqliteMemory(file)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
  expect(() => sqliteMemory(':memory:')).toThrow(expect.objectContaining({ code: 'input_invalid' }));
  await sqliteJournal({ path: file, hash: sha256 }).close();
});
