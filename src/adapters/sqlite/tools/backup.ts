import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../../model/fault.ts';
import { openConnection } from '../connection.ts';
import { builtin } from '../open-database.ts';
import { toFault } from '../sqlite-fault.ts';
import { withFile } from './reading.ts';

/** Copies a store page by page while others write to it. The copy has its name only when it is whole. */
export async function backupStore(file: string, to: string): Promise<{ readonly bytes: number }> {
  if (existsSync(to)) throw new Fault('input_invalid', `${to} exists already; name a file that does not`);
  const folder = dirname(to);
  if (!existsSync(folder))
    throw new Fault('store_unavailable', `cannot copy to ${to}: the folder ${folder} does not exist`);
  withFile(file, 'read', () => undefined);
  const source = openConnection(file, { busyTimeoutMs: 5_000, readOnly: true });
  const half = `${to}.part`;
  try {
    rmSync(half, { force: true });
    await builtin().backup(source.db, half);
    renameSync(half, to);
    return { bytes: statSync(to).size };
  } catch (error) {
    rmSync(half, { force: true });
    throw toFault(error, `cannot copy ${file} to ${to}`);
  } finally {
    source.db.close();
  }
}
