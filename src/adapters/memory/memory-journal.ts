import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Append, Journal } from '../../ports/journal.ts';
import { checkAppend } from '../../ports/journal-rules/check-append.ts';
import { verifyText } from '../../ports/journal-rules/verify-stored.ts';
import { type MemoryDisk, memoryDisk } from './disk.ts';
import { memoryDrivers } from './drivers.ts';
import { memoryKillSwitches } from './kill-switches.ts';
import { readCheckpoint, readFirst, readFrames, readGates, readSessions } from './read.ts';
import { memoryStanding } from './standing.ts';
import { rule, write } from './write.ts';

export interface MemoryJournalOptions {
  readonly hash: Hash;
  /** Pass one disk to two journals and they share it, as two processes share a file. */
  readonly disk?: MemoryDisk;
  readonly faults?: FaultPoints;
}

/** A journal that lasts as long as its disk does: for tests, the simulator and a first try. */
export function memoryJournal({ hash, disk: given, faults }: MemoryJournalOptions): Journal {
  const disk = given ?? memoryDisk();
  let closed = false;
  const open = (): MemoryDisk => {
    if (closed) throw new Fault('store_unavailable', 'the journal has been closed');
    return disk;
  };
  return {
    ...memoryStanding(open),
    ...memoryKillSwitches(open),
    ...(given === undefined ? {} : { drivers: memoryDrivers(open) }),
    append: async (append) => {
      checkAppend(append, hash);
      commit(open(), append, faults);
    },
    load: async (session, fromSeq = 1) => readFrames(open(), hash, session, fromSeq),
    first: async (session) => readFirst(open(), hash, session),
    blob: async (address) => verifyText(address, open().blobs.get(address), hash),
    latestCheckpoint: async (session) => open().latestCheckpoints.get(session) ?? null,
    checkpoint: async (checkpointId) => readCheckpoint(open(), hash, checkpointId),
    list: async (filter) => readSessions(open(), filter),
    gates: async (filter) => readGates(open(), filter),
    effects: async (session) => [...(open().effects.get(session)?.values() ?? [])],
    effect: async (session, key) => open().effects.get(session)?.get(key) ?? null,
    close: async () => {
      closed = true;
    },
  };
}

function commit(disk: MemoryDisk, append: Append, faults: FaultPoints | undefined): void {
  const ruling = rule(disk, append);
  if (ruling === 'stored') return;
  if (ruling !== 'free') throw ruling;
  try {
    faults?.('before_commit');
    write(disk, append);
    faults?.('after_commit');
  } catch (cause) {
    throw new Fault('store_unknown', 'the commit failed and may or may not have been made', { cause });
  }
}
