import { Fault } from '../../model/fault/fault.ts';
import { withRefusedLift } from '../../model/gate/kill-switch.ts';
import type { Hash } from '../../model/json/hash.ts';
import { checkAppend } from '../../ports/journal/check-append.ts';
import type { Append, FaultPoints, Journal } from '../../ports/journal/journal.ts';
import { type KillSwitchStore, switchNotFound } from '../../ports/journal/kill-switches.ts';
import { isListed, type RunLabels } from '../../ports/journal/run-labels.ts';
import type { Driver, Drivers } from '../../ports/journal/scheduler.ts';
import { verifyText } from '../../ports/journal/verify-stored.ts';
import {
  type MemoryDisk,
  memoryDisk,
  memoryStanding,
  readGates,
  readMemoryCheckpoint,
  readMemoryEffects,
  readMemoryFirst,
  readMemoryFrames,
  readSessions,
  readThreadSessions,
  readThreads,
  rule,
  write,
} from './disk.ts';

interface MemoryJournalOptions {
  readonly hash: Hash;
  /** Two journals with the same disk share it, as two processes share a file. */
  readonly disk?: MemoryDisk;
  readonly faults?: FaultPoints;
}

/** A journal that lasts as long as its disk: for tests, the simulator and a first try. */
export function memoryJournal({ hash, disk: sharedDisk, faults }: MemoryJournalOptions): Journal {
  const disk = sharedDisk ?? memoryDisk();
  let closed = false;
  const open = (): MemoryDisk => {
    if (closed) throw new Fault('store_unavailable', 'the journal has been closed');
    return disk;
  };
  return {
    ...memoryStanding(open),
    ...memoryKillSwitches(open),
    ...memoryLabels(open),
    ...(sharedDisk === undefined ? {} : { drivers: memoryDrivers(open) }),
    append: async (append) => {
      checkAppend(append, hash);
      commit(open(), append, faults);
    },
    load: async (session, fromSeq = 1) => readMemoryFrames(open(), hash, session, fromSeq),
    first: async (session) => readMemoryFirst(open(), hash, session),
    blob: async (address) => verifyText(address, open().blobs.get(address), hash),
    latestCheckpoint: async (session) => open().latestCheckpoints.get(session) ?? null,
    checkpoint: async (checkpointId) => readMemoryCheckpoint(open(), hash, checkpointId),
    texts: async () => ({
      blob: async (address) => verifyText(address, open().blobs.get(address), hash),
      checkpoint: async (checkpointId) => readMemoryCheckpoint(open(), hash, checkpointId),
      effects: (session) => readMemoryEffects(open(), session),
    }),
    list: async (filter) => readSessions(open(), filter),
    threads: async (filter) => readThreads(open(), filter),
    threadSessions: async (tenant, thread) => readThreadSessions(open(), tenant, thread),
    gates: async (filter) => readGates(open(), filter),
    effects: async (session) => readMemoryEffects(open(), session),
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

function memoryDrivers(open: () => MemoryDisk): Drivers {
  return {
    announce: async (driver) => {
      open().drivers.set(driver.writer, Object.freeze({ ...driver }));
    },
    leave: async (writer) => {
      open().drivers.delete(writer);
    },
    drivers: async (): Promise<readonly Driver[]> => [...open().drivers.values()],
  };
}

const memoryLabels = (open: () => MemoryDisk): RunLabels => ({
  addLabel: async (label) => {
    open().labels.push(Object.freeze({ ...label }));
  },
  labels: async (filter = {}) => open().labels.filter((each) => isListed(each, filter)),
});

function memoryKillSwitches(open: () => MemoryDisk): KillSwitchStore {
  return {
    throwSwitch: async (thrown) => {
      open().killSwitches.set(thrown.switch_id, Object.freeze({ ...thrown }));
    },
    liftSwitch: async (switchId, lifted) => {
      const { killSwitches } = open();
      const row = killSwitches.get(switchId);
      if (row === undefined) throw switchNotFound(switchId);
      if (row.lifted === null) killSwitches.set(switchId, Object.freeze({ ...row, lifted }));
    },
    noteRefusedLift: async (switchId, refused) => {
      const { killSwitches } = open();
      const row = killSwitches.get(switchId);
      if (row === undefined) throw switchNotFound(switchId);
      killSwitches.set(switchId, Object.freeze(withRefusedLift(row, refused)));
    },
    killSwitches: async () => [...open().killSwitches.values()],
  };
}
