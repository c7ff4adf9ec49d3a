import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault/fault.ts';
import type { RefusedGrant, StandingGrant } from '../../model/gate/grant.ts';
import type { KeyRevocation } from '../../model/gate/signing-key.ts';
import { standingRefused } from '../../ports/journal/append-refusals.ts';
import {
  REFUSED_GRANTS_MAX,
  type StandingFilter,
  type StandingGrants,
  type StandingRow,
  type StandingUse,
  whyExhausted,
} from '../../ports/journal/standing-grants.ts';
import type { SqliteConnection } from './connection.ts';
import { plainRow } from './read.ts';
import type { Statements } from './statements.ts';

interface StoredGrant {
  readonly grant_json: string;
  readonly revoked_json: string | null;
  readonly uses: number;
  readonly microusd: number;
}

const GRANT = 'select grant_json, revoked_json, uses, microusd from standing_grants where grant_id = ?';

function toRow({ grant_json, revoked_json, uses, microusd }: StoredGrant): StandingRow {
  const revoked = revoked_json === null ? null : (JSON.parse(revoked_json) as KeyRevocation);
  return { grant: JSON.parse(grant_json) as StandingGrant, revoked, uses, microusd };
}

/** Runs inside the append's transaction, so that two runs that use a grant at once are counted in turn. */
export function writeStandingUse(db: DatabaseSync, use: StandingUse): void {
  const { grant_id, session_id, step_id, used_at, microusd } = use;
  const stored = db.prepare(GRANT).get(grant_id);
  const why = whyExhausted(stored === undefined ? null : toRow(stored as unknown as StoredGrant), use);
  if (why !== null) throw standingRefused(use, why);
  db.prepare('update standing_grants set uses = uses + 1, microusd = microusd + ? where grant_id = ?').run(
    microusd,
    grant_id,
  );
  db.prepare('insert into standing_uses (grant_id, session_id, step_id, used_at, microusd) values (?, ?, ?, ?, ?)').run(
    grant_id,
    session_id,
    step_id,
    used_at,
    microusd,
  );
}

/** `ask` runs a query or an update on the connection and converts its errors. */
export function sqliteStanding(ask: <T>(doing: string, run: (connection: SqliteConnection) => T) => T): StandingGrants {
  return {
    giveGrant: async (grant) => ask('a standing grant', ({ db }) => insert(db, grant)),
    revokeGrant: async (grantId, revocation) => ask('a standing grant', ({ db }) => revoke(db, grantId, revocation)),
    standingGrants: async (filter = {}) => ask('the standing grants', ({ statements }) => list(statements, filter)),
    standingUses: async (grantId) =>
      ask('the uses of a standing grant', ({ db }) =>
        db
          .prepare(
            'select grant_id, session_id, step_id, used_at, microusd from standing_uses where grant_id = ? order by rowid',
          )
          .all(grantId)
          .map((row) => plainRow<StandingUse>(row)),
      ),
    noteRefusedGrant: async (refused) => ask('a refused grant', ({ db }) => note(db, refused)),
    refusedGrants: async ({ tenant } = {}) =>
      ask('the refused grants', ({ db }) =>
        db
          .prepare('select refused_json from refused_grants where ?1 is null or tenant_id = ?1 order by rowid')
          .all(tenant ?? null)
          .map((row) => JSON.parse(String(row['refused_json'])) as RefusedGrant),
      ),
  };
}

function insert(db: DatabaseSync, grant: StandingGrant): void {
  const { grant_id, tenant_id, tool } = grant;
  const { changes } = db
    .prepare('insert into standing_grants values (?, ?, ?, ?, null, 0, 0) on conflict do nothing')
    .run(grant_id, tenant_id, tool, JSON.stringify(grant));
  if (changes === 0) throw new Fault('grant_exists', `there is a grant ${grant_id} already`);
}

function note(db: DatabaseSync, refused: RefusedGrant): void {
  db.prepare(
    'insert into refused_grants select ?1, ?2 where (select count(*) from refused_grants where tenant_id = ?1) < ?3',
  ).run(refused.tenant_id, JSON.stringify(refused), REFUSED_GRANTS_MAX);
}

function revoke(db: DatabaseSync, grantId: string, revocation: KeyRevocation): void {
  if (db.prepare('select 1 from standing_grants where grant_id = ?').get(grantId) === undefined) {
    throw new Fault('grant_not_found', `there is no standing grant ${grantId}`);
  }
  db.prepare('update standing_grants set revoked_json = ? where grant_id = ? and revoked_json is null').run(
    JSON.stringify(revocation),
    grantId,
  );
}

/** Uses a prepared statement, because every run lists the grants when it starts. */
function list({ standingGrants }: Statements, { tenant, tool }: StandingFilter): readonly StandingRow[] {
  return standingGrants.all(tenant ?? null, tool ?? null).map((row) => toRow(row as unknown as StoredGrant));
}
