import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault } from '../../../model/fault/fault.ts';
import type { Hash } from '../../../model/json/hash.ts';
import type { Signatures } from '../../../ports/keys.ts';
import type { HostGuards, RebuildRows, StoreTools } from '../../../ports/store/store-tools.ts';
import { openSqliteConnection } from '../connection.ts';
import { builtin } from '../open-database.ts';
import { createPrivate } from '../private-file.ts';
import { toFault } from '../sqlite-fault.ts';
import { anchorStore, verifyAnchors } from './anchors.ts';
import { checkStore, withFile } from './check.ts';
import { pruneStoreFile } from './prune.ts';

interface StoreToolParts {
  readonly hash: Hash;
  readonly signatures: Signatures;
  readonly sign: (privateKey: string, text: string) => string;
  /** Creates what derives rows from frames; one serves for one check. */
  readonly rebuild: (guards: HostGuards) => RebuildRows;
}

export function sqliteStoreTools({ hash, signatures, sign, rebuild }: StoreToolParts): StoreTools {
  return {
    check: (file, { publicKey = null, guards = {} } = {}) =>
      withFile(resolve(file), { access: 'read' }, (connection) => ({
        file: resolve(file),
        ...checkStore(connection, { hash, rebuild: rebuild(guards), publicKey }),
      })),
    backup: (file, to) => backupStore(resolve(file), resolve(to)),
    prune: (file, options) => pruneStoreFile(resolve(file), options),
    anchor: (file, options) => anchorStore(resolve(file), options, sign),
    verifyAnchors: (file, anchors, publicKey) => verifyAnchors(resolve(file), anchors, publicKey, { hash, signatures }),
  };
}

/** Copies a store while others write to it. The copy gets its final name only when it is complete. */
async function backupStore(file: string, to: string): Promise<{ readonly bytes: number }> {
  if (existsSync(to)) throw new Fault('input_invalid', `${to} exists already; name a file that does not`);
  const folder = dirname(to);
  if (!existsSync(folder))
    throw new Fault('store_unavailable', `cannot copy to ${to}: the folder ${folder} does not exist`);
  withFile(file, { access: 'read' }, () => undefined);
  const source = openSqliteConnection(file, { busyTimeoutMs: 5_000, readOnly: true });
  const partial = `${to}.part`;
  try {
    rmSync(partial, { force: true });
    createPrivate(partial);
    await builtin().backup(source.db, partial);
    renameSync(partial, to);
    return { bytes: statSync(to).size };
  } catch (error) {
    rmSync(partial, { force: true });
    throw toFault(error, `cannot copy ${file} to ${to}`);
  } finally {
    source.db.close();
  }
}
