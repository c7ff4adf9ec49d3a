import { type MemoryDisk, memoryDisk } from '../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import type { JournalStore, Tampering } from '../../src/testing/contracts/journal-contract.ts';

/** An empty disk in memory for one case of the contract. */
export function emptyMemoryStore(): JournalStore {
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
