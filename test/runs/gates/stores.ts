/** Journals in memory and in a file, for tests that run on both. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';

export const freshFile = (): string => join(mkdtempSync(join(tmpdir(), 'ambit-')), 'journal.db');

/** Each entry makes a function that opens the same store on every call. */
export const STORES: readonly (readonly [string, () => () => Journal])[] = [
  [
    'memory',
    () => {
      const disk = memoryDisk();
      return () => memoryJournal({ hash: sha256, disk });
    },
  ],
  [
    'sqlite',
    () => {
      const path = freshFile();
      return () => sqliteJournal({ path, hash: sha256 });
    },
  ],
];
