/** A permission record as a writer of the store forges it: the hashes fit, and the signature is missing or foreign. */
import { DatabaseSync } from 'node:sqlite';
import { anchorSigner } from '../../src/adapters/sqlite/permissions/anchor-signer.ts';
import { appendPermission, permissionStatements } from '../../src/adapters/sqlite/permissions/permission-chain.ts';
import type { PermissionRecord } from '../../src/adapters/sqlite/permissions/records.ts';
import type { KeyPair } from '../../src/ports/keys.ts';

export function addPermission(path: string, record: PermissionRecord, key: KeyPair | null): void {
  const db = new DatabaseSync(path);
  appendPermission(permissionStatements(db), record, key === null ? null : anchorSigner(key));
  db.close();
}
