import type { RunState } from '../kernel/state.ts';
import { Fault } from '../model/fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Driver, Drivers, ThisProcess } from '../ports/drivers.ts';
import type { Journal } from '../ports/journal.ts';
import type { Timer } from '../ports/timer.ts';
import { isAside } from './aside.ts';

/** How long a process that stops saying so still counts as driving. It says so three times as often. */
export const LEASE_MS = 30_000;

export interface LeaseRoom {
  readonly journal: Pick<Journal, 'load' | 'list'>;
  readonly drivers: Drivers;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly process: ThisProcess;
  readonly writer: string;
  readonly leaseMs: number;
}

/** What this process says of itself while it drives, and what it is told of others. */
export interface Lease {
  /** Whether other processes can write to the same runs. */
  readonly shared: boolean;
  /** Says that this process drives for as long as the work takes, before the work begins. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** The living process that last drove the run, where that is another one; null where there is none. */
  otherDriver(runId: string): Promise<Driver | null>;
  leave(): Promise<void>;
}

/** For a store that no other process shares. */
export const ALONE: Lease = Object.freeze({
  shared: false,
  during: <T>(work: () => Promise<T>) => work(),
  otherDriver: async () => null,
  leave: async () => undefined,
});

export function leaseOf(room: LeaseRoom): Lease {
  const { drivers, clock, timer, writer, leaseMs } = room;
  const { machine, pid } = room.process;
  const since = clock.nowMs();
  let working = 0;
  let until = 0;
  let announcing: Promise<void> | null = null;
  let renewing: AbortController | null = null;
  const announce = async (): Promise<void> => {
    const announced = clock.nowMs() + leaseMs;
    await drivers.announce({ writer, machine, pid, since, until: announced });
    until = announced;
  };
  /** Said once for all who begin at the same time. A store that cannot be written to lets the lease run out, as it has to. */
  const sayFirst = async (): Promise<void> => {
    if (until - clock.nowMs() >= (2 * leaseMs) / 3) return;
    announcing ??= announce()
      .catch(() => undefined)
      .finally(() => {
        announcing = null;
      });
    await announcing;
  };
  const renew = async (stop: AbortController): Promise<void> => {
    while (!stop.signal.aborted) {
      await timer.until(clock.nowMs() + leaseMs / 3, stop.signal);
      if (!stop.signal.aborted) await announce().catch(() => undefined);
    }
  };
  return {
    shared: true,
    during: async (work) => {
      working += 1;
      try {
        await sayFirst();
        if (renewing === null) {
          renewing = new AbortController();
          void renew(renewing);
        }
        return await work();
      } finally {
        working -= 1;
        if (working === 0) {
          renewing?.abort();
          renewing = null;
        }
      }
    },
    otherDriver: (runId) => otherDriver(room, runId),
    leave: async () => {
      if (until > 0) await drivers.leave(writer);
    },
  };
}

/** Something is under way, or would be if somebody drove it. */
export function wantsDriver({ ending, session }: RunState): boolean {
  return ending.terminal === null && (ending.inFlight !== null || session.status === 'in_progress');
}

async function otherDriver(room: LeaseRoom, runId: string): Promise<Driver | null> {
  const writer = await lastDriverOf(room, runId);
  if (writer === null || writer === room.writer) return null;
  const driver = (await room.drivers.drivers()).find((one) => one.writer === writer);
  if (driver === undefined || driver.until <= room.clock.nowMs() || room.process.isGone(driver)) return null;
  return driver;
}

/** How many frames are looked at for one that was not said in passing, before all of them are. */
const LOOK_BACK = 8;

async function lastDriverOf({ journal }: LeaseRoom, session: string): Promise<string | null> {
  const [row] = await journal.list({ session, limit: 1 });
  if (row === undefined || row.terminal_code !== null) return null;
  for (const from of [Math.max(1, row.seq - LOOK_BACK), 1]) {
    const frame = (await journal.load(session, from)).findLast(({ writer }) => !isAside(writer));
    if (frame !== undefined) return frame.writer;
  }
  return null;
}

export function drivenBy(runId: string, { writer, pid, machine, until }: Driver): Fault {
  const who = `${writer}, process ${pid} on ${machine}`;
  const when = new Date(until).toISOString();
  const message = `${runId} is driven by ${who}, at least until ${when}; wait for it, or have an operator take it over`;
  return new Fault('session_driven', message);
}
