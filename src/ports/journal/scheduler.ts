/** The result of driving a session: it waits for input or time, or it has ended. */
type Driven = 'parked' | 'terminal';

/** Drives one session until it waits or has ended. If it throws, the journal keeps the session's last state. */
export type Drive = (session: string, signal: AbortSignal) => Promise<Driven>;

export interface ServeLimits {
  /** The number of sessions driven at once. */
  readonly concurrency: number;
  /** The polling interval for due sessions, in milliseconds. */
  readonly everyMs: number;
  /** When aborted, no new session is driven; sessions being driven finish first, within `stopWithinMs`. */
  readonly signal: AbortSignal;
  /** How long sessions being driven may take after the abort. Then `serve` rejects with `serve_unfinished`. */
  readonly stopWithinMs: number;
  /** Called for every failed drive. The session is tried again later. */
  readonly failed?: (session: string, error: unknown) => void;
  /** Called once for each session that cannot be read. It is set aside and tried again after five minutes. */
  readonly quarantined?: (session: string, error: unknown) => void;
}

export interface Served {
  readonly driven: number;
  readonly failed: number;
  /** The sessions that could not be read, in the order in which they were found. */
  readonly quarantined: readonly string[];
}

/** Decides only when a session is driven. The session's journal decides what it may do then. */
export interface Scheduler {
  /** Requests that a session be driven soon, or at the instant `at`. Durable, and delivered at least once. */
  wake(session: string, when?: { readonly at?: number }): Promise<void>;
  /** Drives due sessions until the signal aborts. Resolves when no session is being driven any more. */
  serve(drive: Drive, limits: ServeLimits): Promise<Served>;
}

/** A process that drives sessions. `writer` is the name in the frames it writes. */
export interface Driver {
  readonly writer: string;
  /** The machine it runs on. A process can detect whether another one on the same machine is gone. */
  readonly machine: string;
  readonly pid: number;
  readonly since: number;
  /** The end of its lease, renewed while it drives. After that, another process may take over its sessions. */
  readonly until: number;
}

/**
 * The leases of driving processes. The process that wrote a session's last frame drives it for as long as its lease
 * lasts. The lease keeps other processes from trying; the fence of the journal keeps them from writing.
 */
export interface Drivers {
  /** Takes or renews this process's lease. */
  announce(driver: Driver): Promise<void>;
  /** Gives up the lease. */
  leave(writer: string): Promise<void>;
  drivers(): Promise<readonly Driver[]>;
}

/** The identity of this process, and what it can detect about others. */
export interface ThisProcess {
  readonly machine: string;
  readonly pid: number;
  /** True only if certain. A process on another machine is never reported as gone. */
  isGone(driver: Pick<Driver, 'machine' | 'pid'>): boolean;
}
