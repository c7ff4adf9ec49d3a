import type { EventBody } from '../../model/event.ts';
import type { Journal } from '../../ports/journal.ts';
import type { LiveRun } from '../drive.ts';
import type { Host } from '../host.ts';
import type { RunOutcome } from '../outcome.ts';
import type { FamilyMember } from './family.ts';

export interface MemberRoom {
  readonly host: Host;
  readonly journal: Pick<Journal, 'list'>;
  /** Every run of this agent that the process holds. */
  readonly live: Map<string, LiveRun>;
  readonly runOf: (runId: string) => Promise<LiveRun>;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
  readonly resume: (runId: string) => Promise<RunOutcome>;
}

/** The runs of one agent, for those whose lanes they are or who have lanes of it. */
export function laneMember({ host, journal, live, runOf, deliver, resume }: MemberRoom): FamilyMember {
  return {
    env: host.turn.env,
    holds: (runId) => live.get(runId),
    runs: () => live.values(),
    release: (runId) => {
      live.delete(runId);
    },
    find: async (runId) => {
      if (!live.has(runId) && (await journal.list({ session: runId, limit: 1 })).length === 0) return null;
      return await runOf(runId);
    },
    begin: async ({ request, ...lane }) => {
      const run = await host.start(request, lane);
      live.set(lane.seat.run_id, run);
      return run;
    },
    hear: deliver,
    goOn: resume,
  };
}
