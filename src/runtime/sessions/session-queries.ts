import type { Pins } from '../../model/evidence/context.ts';
import type { ProgressEnvelope, Session } from '../../model/run/session.ts';
import type { FollowDeps, FollowOptions } from '../../session/follow.ts';
import { runReader } from '../../session/load.ts';
import type { RulesOf } from '../../session/perform/drives-by-rules.ts';
import { requireId } from '../../session/read-input.ts';
import { type WatchedEvent, watchRun } from '../../session/watch.ts';
import { progressOf } from './progress.ts';
import { readSession } from './read-session.ts';

/** Reads and follows sessions without changing them. */
export interface SessionQueries {
  /** The session contract of a `long_running` run; `session_not_found` for any other run. */
  get(runId: string): Promise<Session>;
  /** Progress envelopes, one per interval, until the session has ended. `after` is an earlier `progress_id`. */
  progress(runId: string, follow?: FollowOptions): AsyncIterable<ProgressEnvelope>;
  /** Every past and future event of a run, until it has ended. `after` is an earlier `cursor`. */
  watch(runId: string, follow?: FollowOptions): AsyncIterable<WatchedEvent>;
}

export function createSessionQueries(
  deps: FollowDeps,
  { rulesOf, pins }: { readonly rulesOf: RulesOf; readonly pins: Pins },
): SessionQueries {
  const { frames } = runReader(deps.journal);
  return {
    get: async (runId) => {
      const all = await frames(requireId(runId));
      return readSession({ env: await rulesOf(all), pins }, all);
    },
    progress: (runId, follow) => progressOf(deps, rulesOf, requireId(runId), follow),
    watch: (runId, follow) => watchRun(deps, rulesOf, requireId(runId), follow),
  };
}
