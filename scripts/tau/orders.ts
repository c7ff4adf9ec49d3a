import type { PlantedFault } from './tools.ts';

/** One execution of a task in its own world. */
export interface Job {
  /** Name of the world and of the tenant that owns the runs. */
  readonly realm: string;
  readonly suite: string;
  readonly task: string;
  /** Which tool gets which kind of idempotency. */
  readonly rotation: number;
}

/** An order to a worker: start this job or continue it. */
export interface Order {
  readonly job: Job;
  /** Folder of the journal and the world. */
  readonly folder: string;
  /** Number of the crash point at which the process kills itself; null for none. */
  readonly dieAt: number | null;
  readonly plant: PlantedFault | null;
}

/** The message that releases a worker. */
export const EXIT = 'go home';

/** A worker's first message: whether its predecessor died between an intent and its observation. */
export interface Found {
  readonly kind: 'found';
  /** The call in doubt, if its tool has neither key nor probe. */
  readonly doubt: string | null;
}

/** A worker's message at the end of a job. */
export interface Finished {
  readonly kind: 'finished';
  /** Endings of its runs, in order. */
  readonly endings: readonly string[];
  /** Reasons of all escalations. */
  readonly escalations: readonly string[];
  /** Why a journal does not replay; null if all do. */
  readonly unlike: string | null;
}

/** A worker's message after it has loaded its code. */
export interface Ready {
  readonly kind: 'ready';
}

export type WorkerMessage = Ready | Found | Finished;
