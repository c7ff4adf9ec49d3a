/** Proves that every store of memories keeps the same promises. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryShelf, memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { sqliteMemory } from '../../../src/adapters/sqlite/sqlite-memory.ts';
import { MEMORY_CONTRACT, type MemoryBench } from '../../../src/testing/contracts/memory-contract.ts';
import { freshFile } from '../../journal/sqlite-store.ts';
import { verifies } from '../../requirements/verifies.ts';

function inProcess(): MemoryBench {
  const shelf = memoryShelf();
  return {
    open: async () => memoryStore(shelf),
    plant: async (tenant, entryId, text) => {
      shelf.rows.set(`${tenant}\n${entryId}`, { tenant, entryId, text, quarantine: null });
    },
  };
}

function inFile(): MemoryBench {
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
  [
    'what was put is recalled with every field it has, also through another door',
    'memory:entry:source-link-validator-expiry',
  ],
  ['an entry that has expired is not recalled; a moment before it is', 'memory:entry:source-link-validator-expiry'],
  [
    'what is in quarantine is never recalled, and stays for whoever looks into it',
    'memory:entry:source-link-validator-expiry',
  ],
  ['without a source, a validator or an end nothing is taken in', 'memory:entry:source-link-validator-expiry'],
]);

for (const [kind, empty] of [
  ['in memory', inProcess],
  ['in SQLite', inFile],
] as const) {
  describe(`memories ${kind} keep the contract`, () => {
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

test('every case that proves a requirement is still in the contract', () => {
  const names = MEMORY_CONTRACT.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...PROVES.keys()]));
});

test('a file that holds something else is left alone', async () => {
  const file = freshFile();
  await sqliteJournal({ path: file, hash: sha256 }).close();
  expect(() => sqliteMemory(file)).toThrow(expect.objectContaining({ code: 'input_invalid' }));
  expect(() => sqliteMemory(':memory:')).toThrow(expect.objectContaining({ code: 'input_invalid' }));
  await sqliteJournal({ path: file, hash: sha256 }).close();
});
