import type { StandingGrant } from '../model/grant.ts';
import { type StandingGrants, type StandingRow, whyExhausted } from '../ports/standing-grants.ts';

/**
 * What this process knows of the standing grants. Clearing a call asks it without waiting; whether the grant is really
 * still there is decided by the store when the intent is written, and if it is not, this looks again.
 */
export interface StandingView {
  /** The first grant with something left that `covers` says yes to. */
  find(covers: (grant: StandingGrant) => boolean, microusd: number, now: number): StandingGrant | null;
  refresh(): Promise<void>;
}

export function standingView(store: Pick<StandingGrants, 'standingGrants'>): StandingView {
  let rows: readonly StandingRow[] = [];
  return {
    find: (covers, microusd, now) => {
      const left = rows.find((row) => {
        const use = { grant_id: row.grant.grant_id, session_id: '', step_id: '', used_at: now, microusd };
        return whyExhausted(row, use) === null && covers(row.grant);
      });
      return left?.grant ?? null;
    },
    refresh: async () => {
      rows = await store.standingGrants();
    },
  };
}
