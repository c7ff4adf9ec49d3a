import { Fault } from '../model/fault/fault.ts';
import { printable } from '../model/json/printable.ts';

/** A model role with a time limit: a judge, a drafter, a classifier or a reviewer. */
export interface TimeLimited {
  /** The time limit for one question, including retries and fallbacks. Default: one minute. */
  readonly timeoutMs?: number;
}

const ANSWER_TIME_MS = 60_000;

const LONGEST_MS = 3_600_000;

export const timeLimitMs = ({ timeoutMs = ANSWER_TIME_MS }: TimeLimited): number => timeoutMs;

/** Checks a `timeoutMs` option. `at` names its owner in the message. Returns null if it is valid or missing. */
export function timeFault(at: string, path: string, { timeoutMs }: { readonly timeoutMs?: unknown }): Fault | null {
  if (timeoutMs === undefined) return null;
  if (Number.isInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= LONGEST_MS) return null;
  const message = `${at}: timeoutMs is a whole number of milliseconds from 1 to ${LONGEST_MS}, not ${printable(String(timeoutMs))}`;
  return new Fault('input_invalid', message, { path: `${path}/timeoutMs` });
}
