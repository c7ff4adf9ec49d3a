import type { Stop } from '../fault/terminal-code.ts';
import type { SessionStatus } from './session-status.ts';

/** The part of an outcome that says which people a run waits for. */
export interface WaitingRun {
  readonly status: SessionStatus;
  readonly question: object | null;
  readonly suspended: Stop | null;
}

export type WaitKind = 'approval' | 'review' | 'operator';

/** The words for the person who asked, by the people that the run waits for. */
export const WAIT_TEXTS: Readonly<Record<WaitKind, string>> = {
  approval: 'This needs the approval of another person before I can go on.',
  review: 'A person is looking into this.',
  operator: 'This is paused until an operator resumes it.',
};

/** The people that an open run waits for. Null if it goes on, and if it waits for the answer to its own question. */
export function waitKind({ status, question, suspended }: WaitingRun): WaitKind | null {
  if (question !== null) return null;
  if (status === 'awaiting_gate') return 'approval';
  if (status !== 'paused') return null;
  return suspended === null ? 'operator' : 'review';
}
