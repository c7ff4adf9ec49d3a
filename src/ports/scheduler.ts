/** How a session stands when one activation of it is over. */
export type Activation = 'parked' | 'terminal';

/** Runs a session until it waits or ends. `signal` is raised when the worker must let go of it. */
export type Drive = (session: string, signal: AbortSignal) => Promise<Activation>;

export interface Wake {
  /** Not before this instant; at once when absent. */
  readonly at?: number;
  readonly tenant?: string;
  /** Two wakes of one session with the same key are one wake. */
  readonly key?: string;
}

export interface ServeLimits {
  readonly sessionsAtOnceMax: number;
}

/** Lets running activations come to rest and takes no new ones. */
export type StopServing = () => Promise<void>;

/**
 * Decides only when and where `drive` runs. It may run a session twice, or on two machines at once:
 * the journal's `(session, seq)` key, not the scheduler, is what keeps that harmless.
 */
export interface Scheduler {
  /** Kept until it has happened; at least once. */
  wake(session: string, wake?: Wake): Promise<void>;
  serve(drive: Drive, limits: ServeLimits): Promise<StopServing>;
}
