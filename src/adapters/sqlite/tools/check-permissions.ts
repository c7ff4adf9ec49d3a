import { GENESIS } from '../../../model/events/frame.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { StandingUse } from '../../../ports/journal/standing-grants.ts';
import type { StoreProblem, StoreReport } from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import type { StoredSession } from '../known-sessions.ts';
import {
  isSignedBySigner,
  readPermissionHead,
  readPermissions,
  type StoredPermission,
  verifyRecords,
} from '../permissions/permission-chain.ts';
import { keptRows } from '../permissions/prunings.ts';
import type { PermissionRecord, Pruning } from '../permissions/records.ts';
import { findText } from '../read.ts';

/** A record that names the store. */
export interface Naming {
  readonly row: number;
  /** The key that signed it. Null if none did, or if its signature does not fit. */
  readonly signer: string | null;
  readonly store_id: string;
}

interface CheckedPermissions {
  readonly count: StoreReport['permissions'];
  readonly problems: readonly StoreProblem[];
  readonly uses: ReadonlyMap<string, readonly StandingUse[]>;
  readonly prunings: ReadonlyMap<string, Pruning>;
  readonly names: readonly Naming[];
}

/** Verifies the chain of permission records and their signatures. With `publicKey`, each must be signed by it. */
export function checkPermissions(connection: SqliteConnection, publicKey: string | null): CheckedPermissions {
  const problems: StoreProblem[] = [];
  const uses = new Map<string, StandingUse[]>();
  const prunings = new Map<string, Pruning>();
  const names: Naming[] = [];
  let unsigned = 0;
  let records: readonly StoredPermission[] = [];
  try {
    records = readPermissions(connection.statements, 0, Number.MAX_SAFE_INTEGER);
    problems.push(...chainProblems(connection, records));
    for (const stored of records) {
      const { row, signer } = stored;
      const record = JSON.parse(stored.record) as PermissionRecord;
      const isName = record.kind === 'store_named';
      if (!isName && signer === null && stored.signature === null) unsigned += 1;
      // Naming a store permits nothing, and a store gets a key later, or another one.
      const problem = signatureProblem(stored, isName ? null : publicKey);
      if (problem !== null) problems.push({ place: `/permissions/${row}`, message: problem });
      if (isName) names.push({ row, signer: problem === null ? signer : null, store_id: record.store_id });
      if (record.kind === 'session_pruned') prunings.set(record.pruning.session_id, record.pruning);
      if (record.kind !== 'grant_used') continue;
      const { session_id } = record.use;
      const known = uses.get(session_id);
      if (known === undefined) uses.set(session_id, [record.use]);
      else known.push(record.use);
    }
  } catch (error) {
    problems.push({ place: '/permissions', message: error instanceof Error ? error.message : String(error) });
  }
  problems.push(...nameProblems(names));
  return { count: { records: records.length - names.length, unsigned }, problems, uses, prunings, names };
}

function* chainProblems(
  { statements, db }: SqliteConnection,
  records: readonly StoredPermission[],
): Generator<StoreProblem> {
  const reached = verifyRecords({ count: 0, hash: GENESIS }, records);
  if (Fault.is(reached)) {
    yield { place: reached.path ?? '/permissions', message: reached.message };
    return;
  }
  const head = readPermissionHead(statements);
  const heads = Number(db.prepare('select count(*) as heads from permission_head').get()?.['heads']);
  if (heads !== 1 || head.count !== reached.count || head.hash !== reached.hash)
    yield { place: '/permission_head', message: `names record ${head.count} as the last one of ${reached.count}` };
}

/** A store has one identity, so records that name another one were copied from another store. */
function* nameProblems([first, ...later]: readonly Naming[]): Generator<StoreProblem> {
  for (const { row, store_id } of later)
    if (store_id !== first?.store_id)
      yield { place: `/permissions/${row}`, message: `names another store: ${store_id}` };
}

function signatureProblem(stored: StoredPermission, publicKey: string | null): string | null {
  const { signer, signature } = stored;
  if (signer === null && signature === null) return publicKey === null ? null : 'is not signed';
  if (!isSignedBySigner(stored)) return 'has a signature that does not fit';
  return publicKey === null || signer === publicKey ? null : `is signed by another key: ${signer}`;
}

/** The problems of a session without frames: its pruning must be on record, and the rows and texts it keeps unchanged. */
export function* prunedProblems(
  { db, statements }: SqliteConnection,
  session: StoredSession,
  pruning: Pruning | undefined,
): Generator<StoreProblem> {
  const { session_id, sid } = session;
  const place = `/sessions/${session_id}`;
  if (pruning === undefined) {
    yield { place, message: 'its frames are missing, and no record says that they were pruned' };
    return;
  }
  if (pruning.sid !== sid || keptRows(db, session_id) !== pruning.kept)
    yield { place, message: 'a row that its pruning kept was changed or is missing' };
  const packets = db.prepare('select packet_hash from gates where session_id = ?').all(session_id);
  for (const address of [pruning.record, ...packets.map((row) => row['packet_hash'])])
    if (typeof address === 'string' && findText(statements, address as `sha256:${string}`, null) === undefined)
      yield { place, message: `its pruning kept ${address}, which is not in the store` };
}
