import type { Plant } from './tools.ts';

/** One task, done once in a world of its own. */
export interface Job {
  /** Names the world, and the tenant whose runs these are. */
  readonly realm: string;
  readonly suite: string;
  readonly task: string;
  /** Which tool is of which kind. */
  readonly rotation: number;
}

/** What a process is told: do this, or go on with it. */
export interface Order {
  readonly job: Job;
  /** Where the journal and the world are. */
  readonly folder: string;
  /** Dies by itself when it has come to that many places at which it could; null: it does not. */
  readonly dieAt: number | null;
  readonly plant: Plant | null;
}

/** What a process is told that is not needed. */
export const GO_HOME = 'go home';

/** What it says before it does anything: whether its predecessor died between an intent and its observation. */
export interface Found {
  readonly kind: 'found';
  /** The call that is in doubt because of that, where its tool has neither key nor probe. */
  readonly doubt: string | null;
}

/** What it says when there is nothing left to do. */
export interface Finished {
  readonly kind: 'finished';
  /** How its runs ended, in their order. */
  readonly endings: readonly string[];
  /** How often a run was handed to a person, and why. */
  readonly escalations: readonly string[];
  /** What is wrong with a journal that does not replay; null where all do. */
  readonly unlike: string | null;
}

/** What it says when it has read its code. */
export interface Ready {
  readonly kind: 'ready';
}

export type Word = Ready | Found | Finished;
