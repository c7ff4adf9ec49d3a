import type { Pins } from '../model/context.ts';
import type { ProgressEnvelope } from '../model/progress.ts';
import type { Session } from '../model/session.ts';
import type { RulesOf } from './drives-by-rules.ts';
import { named } from './given.ts';
import type { FollowOptions, NewsRoom } from './news.ts';
import { progressOf } from './progress.ts';
import { runReader } from './read-run.ts';
import { readSession } from './session-view.ts';
import { type WatchedEvent, watchRun } from './watch.ts';

/** How sessions are looked at and followed. Nothing here touches one. */
export interface SessionDesk {
  /** The session contract of a run that was asked for as `long_running`; `session_not_found` for any other run. */
  session(runId: string): Promise<Session>;
  /** How far a session has come, one envelope each interval, until it has ended; `after` is an earlier `progress_id`. */
  progress(runId: string, follow?: FollowOptions): AsyncIterable<ProgressEnvelope>;
  /** Every event of a run, those there are and those to come, until it has ended; `after` is an earlier `cursor`. */
  watch(runId: string, follow?: FollowOptions): AsyncIterable<WatchedEvent>;
}

export function sessionDesk(
  room: NewsRoom,
  { rulesOf, pins }: { readonly rulesOf: RulesOf; readonly pins: Pins },
): SessionDesk {
  const { frames } = runReader(room.journal);
  return {
    session: async (runId) => {
      const all = await frames(named(runId));
      return readSession({ env: await rulesOf(all), pins }, all);
    },
    progress: (runId, follow) => progressOf(room, rulesOf, named(runId), follow),
    watch: (runId, follow) => watchRun(room, rulesOf, named(runId), follow),
  };
}
