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

/** Whether a key that somebody signed with has been revoked since. */
export type IsRevoked = (keyId: string) => Promise<boolean>;

export function standingView(store: Pick<StandingGrants, 'standingGrants'>, isRevoked: IsRevoked): StandingView {
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
      const all = await store.standingGrants();
      const signed = await Promise.all(all.map(({ grant }) => stillSigned(grant, isRevoked)));
      rows = all.filter((_, place) => signed[place]);
    },
  };
}

/** A grant is as good as the key behind it: whoever lost theirs has given nothing in advance any more. */
async function stillSigned({ proof }: StandingGrant, isRevoked: IsRevoked): Promise<boolean> {
  return proof.key_id === undefined || !(await isRevoked(proof.key_id));
}
