import { Fault } from '../../../model/fault/fault.ts';
import type { StandingGrant } from '../../../model/gate/grant.ts';
import type { KeyRevocation } from '../../../model/gate/signing-key.ts';
import { standingRefused } from '../../../ports/journal/append-refusals.ts';
import {
  REFUSED_GRANTS_MAX,
  type StandingFilter,
  type StandingGrants,
  type StandingRow,
  type StandingUse,
  whyExhausted,
} from '../../../ports/journal/standing-grants.ts';
import type { PermissionLog } from './permission-chain.ts';
import type { GrantState } from './records.ts';

const toRow = ({ grant, revoked, uses, microusd }: GrantState): StandingRow => ({
  grant,
  revoked,
  uses: uses.length,
  microusd,
});

/** Runs inside the append's transaction, so that two runs that use a grant at once are counted in turn. */
export function recordStandingUse(log: PermissionLog, { ...use }: StandingUse): void {
  const found = log.current().grants.get(use.grant_id);
  const why = whyExhausted(found === undefined ? null : toRow(found), use);
  if (why !== null) throw standingRefused(use, why);
  log.append({ kind: 'grant_used', use });
}

/** `ask` runs a query or an update on the permission records and converts its errors. */
export function sqliteStanding(ask: <T>(doing: string, run: (log: PermissionLog) => T) => T): StandingGrants {
  return {
    giveGrant: async (grant) => ask('a standing grant', (log) => log.change(() => give(log, grant))),
    revokeGrant: async (grantId, revocation) =>
      ask('a standing grant', (log) => log.change(() => revoke(log, grantId, revocation))),
    standingGrants: async (filter = {}) => ask('the standing grants', (log) => list(log, filter)),
    standingUses: async (grantId) =>
      ask('the uses of a standing grant', (log) => [...(log.current().grants.get(grantId)?.uses ?? [])]),
    noteRefusedGrant: async ({ ...refused }) =>
      ask('a refused grant', (log) =>
        log.change(() => {
          const { tenant_id } = refused;
          const noted = log.current().refusedGrants.filter((each) => each.tenant_id === tenant_id).length;
          if (noted < REFUSED_GRANTS_MAX) log.append({ kind: 'grant_refused', refused });
        }),
      ),
    refusedGrants: async ({ tenant } = {}) =>
      ask('the refused grants', (log) =>
        log.current().refusedGrants.filter(({ tenant_id }) => tenant === undefined || tenant_id === tenant),
      ),
  };
}

function give(log: PermissionLog, grant: StandingGrant): void {
  const { grant_id } = grant;
  if (log.current().grants.has(grant_id)) throw new Fault('grant_exists', `there is a grant ${grant_id} already`);
  log.append({ kind: 'grant_given', grant });
}

function revoke(log: PermissionLog, grantId: string, revoked: KeyRevocation): void {
  const found = log.current().grants.get(grantId);
  if (found === undefined) throw new Fault('grant_not_found', `there is no standing grant ${grantId}`);
  if (found.revoked === null) log.append({ kind: 'grant_revoked', grant_id: grantId, revoked });
}

const list = (log: PermissionLog, { tenant, tool }: StandingFilter): readonly StandingRow[] =>
  [...log.current().grants.values()]
    .filter(
      ({ grant }) =>
        (tenant === undefined || grant.tenant_id === tenant) && (tool === undefined || grant.tool === tool),
    )
    .map(toRow);
