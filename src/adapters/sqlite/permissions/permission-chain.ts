import { hash, randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { GENESIS } from '../../../model/events/frame.ts';
import { Fault } from '../../../model/fault/fault.ts';
import { PERMISSION_SQL, type Statements } from '../statements.ts';
import { type AnchorSigner, verifierOf } from './anchor-signer.ts';
import { applyRecord, noPermissions, type PermissionRecord, type Permissions, permits } from './records.ts';

/** The end of the chain of permission records: their number and the hash of the last one. */
export interface PermissionHead {
  readonly count: number;
  readonly hash: string;
}

/** A stored record. `signer` is the public key of its signature; both are null if the store has no anchor key. */
export interface StoredPermission {
  readonly row: number;
  readonly record: string;
  readonly hash: string;
  readonly signer: string | null;
  readonly signature: string | null;
}

const START: PermissionHead = Object.freeze({ count: 0, hash: GENESIS });

/** Hashes a record with its position and the hash before it. The tag separates these hashes from all others. */
const hashAfter = ({ count, hash: prev }: PermissionHead, record: string): string =>
  `sha256:${hash('sha256', `permission/1\n${prev}\n${count + 1}\n${record}`, 'hex')}`;

/** The text that the anchor key signs for a record. */
const signedText = (recordHash: string): string => `ambit_permission@1\n${recordHash}`;

/** Whether the signature of a record is valid under the key that it names. False for an unsigned record. */
export function isSignedBySigner({ hash: recordHash, signer, signature }: StoredPermission): boolean {
  if (signer === null || signature === null) return false;
  return verifierOf(signer)(signedText(recordHash), signature);
}

/** Describes the first problem of the records after `from`, or returns the head that they lead to. */
export function verifyRecords(from: PermissionHead, records: readonly StoredPermission[]): PermissionHead | Fault {
  let head = from;
  for (const { row, record, hash: stored } of records) {
    if (row !== head.count + 1) return damaged(head.count + 1, 'is missing or out of order');
    if (hashAfter(head, record) !== stored) return damaged(row, 'does not match its hash');
    head = { count: row, hash: stored };
  }
  return head;
}

const damaged = (row: number, why: string): Fault =>
  new Fault('store_corrupt', `permission record ${row}: ${why}: run ambit store check, then restore a backup`, {
    path: `/permissions/${row}`,
  });

/** The fault of a chain without a record that a stored frame follows. */
export const chainBroken = (row: number, why: 'was cut off' | 'was replaced'): Fault => damaged(row, why);

export function readPermissionHead({ permissionHead }: Pick<Statements, 'permissionHead'>): PermissionHead {
  const found = permissionHead.get();
  if (found === undefined) throw damaged(1, 'the row that names the last record is missing');
  return { count: Number(found['count']), hash: String(found['hash']) };
}

/** Reads the records after a row up to another one, in order. */
export const readPermissions = (
  { permissions }: Pick<Statements, 'permissions'>,
  after: number,
  upTo: number,
): readonly StoredPermission[] => permissions.all(after, upTo) as unknown as readonly StoredPermission[];

/** Adds a record to the end of the chain, signed with the anchor key if there is one. Needs an open transaction. */
export function appendPermission(
  statements: PermissionStatements,
  record: PermissionRecord,
  key: AnchorSigner | null,
): PermissionHead {
  const before = readPermissionHead(statements);
  const text = JSON.stringify(record);
  const head = { count: before.count + 1, hash: hashAfter(before, text) };
  const signature = key === null ? null : key.sign(signedText(head.hash));
  statements.insertPermission.run(head.count, text, head.hash, key?.publicKey ?? null, signature);
  statements.movePermissionHead.run(head.count, head.hash);
  return head;
}

/** The statements of `appendPermission`, for a file that has no other tables of this format yet. */
export const permissionStatements = (db: DatabaseSync): PermissionStatements => ({
  permissionHead: db.prepare(PERMISSION_SQL.permissionHead),
  insertPermission: db.prepare(PERMISSION_SQL.insertPermission),
  movePermissionHead: db.prepare(PERMISSION_SQL.movePermissionHead),
});

type PermissionStatements = Pick<Statements, 'permissionHead' | 'insertPermission' | 'movePermissionHead'>;

/** Whether a record names the store: the first record of its chain, and the first one of each of its anchor keys. */
const NAMING = '{"kind":"store_named"';

/**
 * Gives a store its identity, a random id that all later records are chained to. A store that gets an anchor key later is
 * named again by a record with the signature of that key. Needs a connection that may write.
 */
export function nameStore(db: DatabaseSync, statements: Statements, key: AnchorSigner | null): void {
  const isNamed = (): boolean => statements.naming.get(NAMING, key?.publicKey ?? null) !== undefined;
  if (isNamed()) return;
  inTransaction(db, statements, () => {
    // Another process may have named it in the meantime.
    if (isNamed()) return;
    const first = statements.naming.get(NAMING, null)?.['record'];
    const named = first === undefined ? randomUUID() : (JSON.parse(String(first)) as { store_id: string }).store_id;
    appendPermission(statements, { kind: 'store_named', store_id: named }, key);
  });
}

function inTransaction<T>(db: DatabaseSync, { begin, commit, rollback }: Statements, write: () => T): T {
  begin.run();
  try {
    const result = write();
    commit.run();
    return result;
  } catch (error) {
    if (db.isTransaction) rollback.run();
    throw error;
  }
}

/** The permission records of one connection, verified as they are read and kept in memory. */
export interface PermissionLog {
  /** Returns the permissions as they are stored now. Throws `store_corrupt` if a record was changed or is missing. */
  current(): Permissions;
  /** The end of the chain as it is stored now, not verified. */
  head(): PermissionHead;
  /** Adds a record in the open transaction. */
  append(record: PermissionRecord): void;
  /** Call it at the beginning of a transaction that may add records. */
  begun(): void;
  /** Runs `write` in a transaction of its own. */
  change<T>(write: () => T): T;
}

/** `broken` is the fault of a chain that was found damaged when the store was opened. */
export function permissionLog(
  db: DatabaseSync,
  statements: Statements,
  key: AnchorSigner | null,
  broken: Fault | null,
): PermissionLog {
  let known = noPermissions();
  let head = START;
  /** The last head that was read without a record of an open transaction of this connection. */
  let committed = START;
  let hasAdded = false;
  const forget = (): void => {
    known = noPermissions();
    head = START;
  };
  const readUpTo = (end: PermissionHead): void => {
    const records = readPermissions(statements, head.count, end.count);
    const reached = verifyRecords(head, records);
    if (Fault.is(reached)) throw reached;
    if (reached.count !== end.count || reached.hash !== end.hash)
      throw damaged(end.count, 'is not the last record that the store names');
    // Records that were read before stay for ever, so a chain without them was cut or belongs to another store.
    const seen = committed.count <= head.count ? null : records[committed.count - head.count - 1];
    if (seen !== null && seen?.hash !== committed.hash)
      throw damaged(committed.count, seen === undefined ? 'was cut off' : 'was replaced');
    // The head moves last: a record that cannot be read leaves nothing half applied behind, because all is read again.
    head = START;
    for (const stored of records) {
      const record = JSON.parse(stored.record) as PermissionRecord;
      if (!permits(record) || isTrusted(stored, key)) applyRecord(known, record);
    }
    head = reached;
  };
  const readAll = (): void => {
    const end = readPermissionHead(statements);
    if (end.count === head.count && end.hash === head.hash) return;
    if (head.count === 0) forget();
    try {
      readUpTo(end);
    } catch {
      // The records known so far may come from a transaction that was rolled back.
      forget();
      readUpTo(end);
    }
  };
  return {
    current: () => {
      if (broken !== null) throw broken;
      readAll();
      if (!hasAdded) committed = head;
      return known;
    },
    head: () => {
      const row = statements.permissionHead.get();
      return row === undefined ? START : { count: Number(row['count']), hash: String(row['hash']) };
    },
    append: (record) => {
      hasAdded = true;
      appendPermission(statements, record, key);
    },
    begun: () => {
      hasAdded = false;
    },
    change: (write) =>
      inTransaction(db, statements, () => {
        hasAdded = false;
        return write();
      }),
  };
}

/** Without an anchor key every record counts. With one, a permission counts only if that key signed it. */
const isTrusted = (stored: StoredPermission, key: AnchorSigner | null): boolean =>
  key === null || (stored.signer === key.publicKey && isSignedBySigner(stored));
