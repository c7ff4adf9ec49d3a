import { type Camel, capOption } from '../model/budget/budget-profile.ts';
import { THREAD_LIMITS, type ThreadLimits } from '../model/run/thread.ts';

/** The limits of a thread in camelCase: `runsMax` for `runs_max`. */
export type ThreadLimitOptions = { readonly [Limit in keyof ThreadLimits as Camel<Limit>]?: ThreadLimits[Limit] };

const LIMITS: ReadonlyMap<string, keyof ThreadLimits> = new Map(
  THREAD_LIMITS.map((limit) => [capOption(limit), limit]),
);

export const THREAD_OPTIONS: readonly string[] = [...LIMITS.keys()];

/** Reads the limits of a thread. Unknown options are reported with those of the agent. */
export const threadLimitsOf = (options: ThreadLimitOptions): ThreadLimits =>
  Object.fromEntries(
    Object.entries(options).flatMap(([option, most]) => {
      const limit = LIMITS.get(option);
      return limit === undefined ? [] : [[limit, most]];
    }),
  );
