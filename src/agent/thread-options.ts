import { type Camel, capOption } from '../model/budget/budget-profile.ts';
import type { Fault } from '../model/fault/fault.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import { THREAD_LIMITS, type ThreadLimits } from '../model/run/thread.ts';
import { nearest } from './check/nearest.ts';

/** The limits of a thread in camelCase: `runsMax` for `runs_max`. */
export type ThreadLimitOptions = { readonly [Limit in keyof ThreadLimits as Camel<Limit>]?: ThreadLimits[Limit] };

const KNOWN: ReadonlyMap<string, keyof ThreadLimits> = new Map(THREAD_LIMITS.map((limit) => [capOption(limit), limit]));

/** Reads the limits of a thread. `wrong` creates the fault for an option of the agent. */
export function threadLimitsOf(
  options: ThreadLimitOptions,
  wrong: (path: string, message: string) => Fault,
): ThreadLimits {
  return Object.fromEntries(
    Object.entries(options).map(([option, most]) => {
      const limit = KNOWN.get(option);
      if (limit !== undefined) return [limit, most];
      const known = nearest(option, [...KNOWN.keys()]);
      throw wrong(`/thread${pointerToken(option)}`, `thread has no limit ${printable(option)}: did you mean ${known}?`);
    }),
  );
}
