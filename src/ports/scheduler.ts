/** How a drive of a session ended: it waits for somebody or something, or it is over. */
export type Driven = 'parked' | 'terminal';

/** Drives one session until it waits or has ended. What it throws leaves the session as it stands in the journal. */
export type Drive = (session: string, signal: AbortSignal) => Promise<Driven>;

export interface ServeLimits {
  /** How many sessions are driven at once. */
  readonly concurrency: number;
  /** How often it is looked for sessions that are due, in milliseconds, where nobody was told of one. */
  readonly everyMs: number;
  /** No new session is driven from then on, and those that are come to rest first. */
  readonly signal: AbortSignal;
  /** Told of every drive that failed. The session is tried again later. */
  readonly failed?: (session: string, error: unknown) => void;
}

/** What was done by the time somebody said stop. */
export interface Served {
  /** Drives that ended well, and those that failed. */
  readonly driven: number;
  readonly failed: number;
}

/** Decides when a session is driven, and nothing else: what may be done then is for its journal to say. */
export interface Scheduler {
  /** Has the session driven soon, or at that instant. Durable, and at least once. */
  wake(session: string, when?: { readonly at?: number }): Promise<void>;
  /** Drives whatever is due until it is told to stop; resolves when nothing is driven any more. */
  serve(drive: Drive, limits: ServeLimits): Promise<Served>;
}
