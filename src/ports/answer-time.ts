import { Fault } from '../model/fault.ts';
import { printable } from '../model/printable.ts';

/** Whoever is asked in the course of a run: a judge, a drafter, a classifier, a reviewer. */
export interface Timed {
  /** For one question, retries and fallbacks included. Whoever has not answered by then has not answered. A minute, where nothing is said. */
  readonly timeoutMs?: number;
}

const ANSWER_TIME_MS = 60_000;

const LONGEST_MS = 3_600_000;

export const answerTime = ({ timeoutMs = ANSWER_TIME_MS }: Timed): number => timeoutMs;

/** What is wrong with a time that somebody was given, or null. `at` is what has it, as whoever gave it would say. */
export function timeFault(at: string, path: string, { timeoutMs }: { readonly timeoutMs?: unknown }): Fault | null {
  if (timeoutMs === undefined) return null;
  if (Number.isInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= LONGEST_MS) return null;
  const message = `${at}: timeoutMs is a whole number of milliseconds from 1 to ${LONGEST_MS}, not ${printable(String(timeoutMs))}`;
  return new Fault('input_invalid', message, { path: `${path}/timeoutMs` });
}
