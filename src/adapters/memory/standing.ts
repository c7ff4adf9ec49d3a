import { Fault } from '../../model/fault.ts';
import { REFUSED_GRANTS_MAX, type StandingGrants, type StandingUse } from '../../ports/standing-grants.ts';
import type { MemoryDisk } from './disk.ts';

/** Counts a use that was found to be covered. */
export function recordUse(disk: MemoryDisk, use: StandingUse): void {
  const row = disk.standing.get(use.grant_id);
  if (row === undefined) return;
  disk.standing.set(use.grant_id, { ...row, uses: row.uses + 1, microusd: row.microusd + use.microusd });
  disk.standingUses.push(Object.freeze({ ...use }));
}

export function memoryStanding(open: () => MemoryDisk): StandingGrants {
  return {
    giveGrant: async (grant) => {
      const { standing } = open();
      if (standing.has(grant.grant_id)) throw new Fault('grant_exists', `there is a grant ${grant.grant_id} already`);
      standing.set(grant.grant_id, { grant: Object.freeze({ ...grant }), revoked: null, uses: 0, microusd: 0 });
    },
    revokeGrant: async (grantId, revoked) => {
      const { standing } = open();
      const row = standing.get(grantId);
      if (row === undefined) throw new Fault('grant_not_found', `there is no standing grant ${grantId}`);
      if (row.revoked === null) standing.set(grantId, { ...row, revoked });
    },
    standingGrants: async ({ tenant, tool } = {}) =>
      [...open().standing.values()].filter(
        ({ grant }) =>
          (tenant === undefined || grant.tenant_id === tenant) && (tool === undefined || grant.tool === tool),
      ),
    standingUses: async (grantId) => open().standingUses.filter(({ grant_id }) => grant_id === grantId),
    noteRefusedGrant: async (refused) => {
      const { refusedGrants } = open();
      const kept = refusedGrants.filter(({ tenant_id }) => tenant_id === refused.tenant_id).length;
      if (kept < REFUSED_GRANTS_MAX) refusedGrants.push(Object.freeze({ ...refused }));
    },
    refusedGrants: async ({ tenant } = {}) =>
      open().refusedGrants.filter(({ tenant_id }) => tenant === undefined || tenant_id === tenant),
  };
}
