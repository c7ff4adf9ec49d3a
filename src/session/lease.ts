import type { RunState } from '../kernel/index.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { Driver, Drivers, ThisProcess } from '../ports/journal/scheduler.ts';
import { isGuestWriter } from './guest-writer.ts';

/** How long a process counts as the driver after its last announcement. It announces itself three times per lease. */
export const LEASE_MS = 30_000;

export interface LeaseDeps {
  readonly journal: Pick<Journal, 'load' | 'list'>;
  readonly drivers: Drivers;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly process: ThisProcess;
  readonly writer: string;
  readonly leaseMs: number;
}

/** Announces that this process drives, and finds other driving processes. */
export interface Lease {
  /** True if other processes can write to the same runs. */
  readonly shared: boolean;
  /** Announces this process as a driver before the work begins and until it ends. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** The live process that last drove the run, if it is another one; null if there is none. */
  otherDriver(runId: string): Promise<Driver | null>;
  leave(): Promise<void>;
}

/** The lease for a store that no other process shares. */
export const SOLE_DRIVER: Lease = Object.freeze({
  shared: false,
  during: <T>(work: () => Promise<T>) => work(),
  otherDriver: async () => null,
  leave: async () => undefined,
});

export function createLease(deps: LeaseDeps): Lease {
  const { drivers, clock, timer, writer, leaseMs } = deps;
  const { machine, pid } = deps.process;
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
  /** Announces once for all concurrent callers. If the store cannot be written, the lease expires as it must. */
  const announceFirst = async (): Promise<void> => {
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
        await announceFirst();
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
    otherDriver: (runId) => otherDriver(deps, runId),
    leave: async () => {
      if (until > 0) await drivers.leave(writer);
    },
  };
}

/** Returns whether work is in flight, or would be if a process drove the run. */
export function needsDriver({ ending, session }: RunState): boolean {
  const isBusy = ending.inFlight !== null || ending.closeBy !== null || session.status === 'in_progress';
  return ending.terminal === null && isBusy;
}

/**
 * Returns whether a process left work in flight, which is lost. Read it before a decision is delivered: the decision may
 * start work here, such as a compensation, which must not count as lost.
 */
export const hasLostWork = ({ ending, lanes = [] }: RunState): boolean => ending.inFlight !== null || lanes.length > 0;

async function otherDriver(deps: LeaseDeps, runId: string): Promise<Driver | null> {
  const writer = await lastDriverOf(deps, runId);
  if (writer === null || writer === deps.writer) return null;
  const driver = (await deps.drivers.drivers()).find((one) => one.writer === writer);
  if (driver === undefined || driver.until <= deps.clock.nowMs() || deps.process.isGone(driver)) return null;
  return driver;
}

/** How many of the last frames are searched for one by a driver, before all frames are. */
const LOOK_BACK = 8;

async function lastDriverOf({ journal }: LeaseDeps, session: string): Promise<string | null> {
  const [row] = await journal.list({ session, limit: 1 });
  if (row === undefined || row.terminal_code !== null) return null;
  for (const from of [Math.max(1, row.seq - LOOK_BACK), 1]) {
    const frame = (await journal.load(session, from)).findLast(({ writer }) => !isGuestWriter(writer));
    if (frame !== undefined) return frame.writer;
  }
  return null;
}

export function drivenBy(runId: string, { writer, pid, machine, until }: Driver): Fault {
  const who = `${writer}, process ${pid} on ${machine}`;
  const when = new Date(until).toISOString();
  const message = `${runId} is driven by ${who}, at least until ${when}: wait for it, or let an operator take it over`;
  return new Fault('session_driven', message);
}
