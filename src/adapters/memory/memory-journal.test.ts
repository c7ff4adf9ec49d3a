import { describe, expect, test } from 'vitest';
import { JOURNAL_CONTRACT, type JournalStore, type Tampering } from '../../testing/contracts/journal-contract.ts';
import { sha256 } from '../node/ids-and-hash.ts';
import { type MemoryDisk, memoryDisk } from './disk.ts';
import { memoryJournal } from './memory-journal.ts';

function emptyStore(): JournalStore {
  const disk = memoryDisk();
  return {
    hash: sha256,
    open: async (faults) => memoryJournal({ hash: sha256, disk, ...(faults && { faults }) }),
    tamper: async (change) => tamper(disk, change),
  };
}

function tamper(disk: MemoryDisk, change: Tampering): void {
  if (change.kind === 'alter_blob') {
    disk.blobs.set(change.address, change.text);
    return;
  }
  const frames = disk.frames.get(change.session) ?? [];
  const index = change.seq - 1;
  const [here, next] = frames.slice(index, index + 2);
  if (here === undefined) throw new Error('nothing to tamper with');
  if (change.kind === 'alter_frame') frames[index] = { ...here, events: change.events, hash: change.hash ?? here.hash };
  else if (change.kind === 'remove_frame') frames.splice(index, 1);
  else if (next !== undefined) frames.splice(index, 2, { ...next, seq: here.seq }, { ...here, seq: next.seq });
}

describe('the in-memory journal meets the contract', () => {
  for (const { name, run } of JOURNAL_CONTRACT) {
    test(name, async () => {
      await expect(run(emptyStore())).resolves.toBeUndefined();
    });
  }
});
