import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../model/fault/fault.ts';
import { reasonOf } from '../../../model/json/printable.ts';
import type { MasterKey } from '../../../ports/store/vault.ts';
import { KEY_BYTES } from './aes-box.ts';

/** The two keys of a tenant: one encrypts values, the other makes handles by keyed digest. */
interface TenantKeys {
  readonly sealing: Uint8Array;
  readonly naming: Uint8Array;
}

/** The keys as they are stored: wrapped by the master key with this id, or plain if the id is empty. */
interface StoredKeys extends TenantKeys {
  readonly master: string;
}

/** Keys that can be used, and their stored form, which shows whether they still are the tenant's keys. */
interface OpenKeys extends TenantKeys {
  readonly stored: StoredKeys;
}

/** The keys of every tenant of one vault file. */
export interface VaultKeys {
  /** The keys of a tenant. They are created for its first value. */
  ensure(tenantId: string): Promise<OpenKeys>;
  /** The keys of a tenant, or null if it has none. */
  find(tenantId: string): Promise<TenantKeys | null>;
  /** Runs `write` in the transaction that proves that these are still the tenant's keys. False if they are not. */
  whileCurrent(tenantId: string, keys: OpenKeys, write: () => void): boolean;
}

/** Unwrapped keys are kept for this many tenants, so that a key service is not asked for each value. */
const KEPT_MAX = 1_000;

export function vaultKeys(db: DatabaseSync, master: MasterKey | null): VaultKeys {
  const kept = new Map<string, OpenKeys>();
  const select = db.prepare('select sealing, naming, master from keys where tenant_id = ?');
  const read = (tenantId: string): StoredKeys | undefined => select.get(tenantId) as StoredKeys | undefined;
  const open = async (tenantId: string, stored: StoredKeys): Promise<OpenKeys> => {
    const known = kept.get(tenantId);
    if (known !== undefined && isSame(known.stored, stored)) return known;
    const keys = { ...(await unwrapKeys(master, tenantId, stored)), stored };
    kept.delete(tenantId);
    kept.set(tenantId, keys);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return keys;
  };
  const find = async (tenantId: string): Promise<OpenKeys | null> => {
    const stored = read(tenantId);
    return stored === undefined ? null : await open(tenantId, stored);
  };
  return {
    find,
    ensure: async (tenantId) => {
      for (;;) {
        const found = await find(tenantId);
        if (found !== null) return found;
        const fresh = { sealing: randomBytes(KEY_BYTES), naming: randomBytes(KEY_BYTES) };
        insertKeys(db, tenantId, await wrapKeys(master, tenantId, fresh));
      }
    },
    whileCurrent: (tenantId, keys, write) => {
      db.exec('begin immediate');
      try {
        const now = read(tenantId);
        const isCurrent = now !== undefined && isSame(now, keys.stored);
        if (isCurrent) write();
        db.exec('commit');
        return isCurrent;
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
  };
}

const isSame = (a: StoredKeys, b: StoredKeys): boolean =>
  Buffer.compare(a.sealing, b.sealing) === 0 && Buffer.compare(a.naming, b.naming) === 0;

function insertKeys(db: DatabaseSync, tenantId: string, { sealing, naming, master }: StoredKeys): void {
  db.prepare('insert or ignore into keys (tenant_id, sealing, naming, master) values (?, ?, ?, ?)').run(
    tenantId,
    sealing,
    naming,
    master,
  );
}

/** Rejects a file whose keys this master key does not wrap. */
export function assertWrapped(db: DatabaseSync, file: string, master: MasterKey | null): void {
  const rows = db.prepare('select distinct master from keys').all();
  const other = rows.map((row) => String(row['master'])).find((id) => id !== (master?.id ?? ''));
  if (other === undefined) return;
  const message =
    other === ''
      ? `${file} holds keys that no master key protects: pass wrapUnprotected: true beside masterKey once, which wraps them`
      : `the keys of ${file} are wrapped by the master key ${other}${master === null ? '' : `, not by ${master.id}`}: pass that key as masterKey`;
  throw new Fault('input_invalid', message, { path: '/world/vault' });
}

/** Wraps the plain keys of a file, and overwrites them. */
export async function wrapPlainKeys(db: DatabaseSync, master: MasterKey): Promise<void> {
  const rows = db.prepare("select tenant_id, sealing, naming from keys where master = ''").all();
  for (const row of rows) {
    const { tenant_id, ...plain } = row as unknown as TenantKeys & { readonly tenant_id: string };
    const { sealing, naming } = await wrapKeys(master, tenant_id, plain);
    // Overwrites the plain keys in the file, also where the row was.
    db.exec('pragma secure_delete = on');
    db.prepare("update keys set sealing = ?, naming = ?, master = ? where tenant_id = ? and master = ''").run(
      sealing,
      naming,
      master.id,
      tenant_id,
    );
  }
  const busy = db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'];
  if (busy === 0) return;
  const message =
    'the keys of the vault are wrapped, but the log beside the file still holds them in plain, and another process reads it: open the vault again with wrapUnprotected when that process has finished';
  throw new Fault('store_unavailable', message);
}

const contextOf = (tenantId: string, use: 'sealing' | 'naming'): string => `${tenantId}\n${use}`;

async function wrapKeys(master: MasterKey | null, tenantId: string, keys: TenantKeys): Promise<StoredKeys> {
  if (master === null) return { ...keys, master: '' };
  const wrap = async (use: 'sealing' | 'naming'): Promise<Uint8Array> =>
    Buffer.from(await asked(master, 'wrap', () => master.wrap(keys[use], contextOf(tenantId, use))));
  return { sealing: await wrap('sealing'), naming: await wrap('naming'), master: master.id };
}

async function unwrapKeys(master: MasterKey | null, tenantId: string, stored: StoredKeys): Promise<TenantKeys> {
  if (stored.master !== (master?.id ?? ''))
    throw new Fault('store_corrupt', `the keys of ${tenantId} were replaced by keys of another master key`);
  if (master === null) return stored;
  const unwrap = async (use: 'sealing' | 'naming'): Promise<Uint8Array> =>
    await asked(master, 'unwrap', () => master.unwrap(stored[use], contextOf(tenantId, use)));
  return { sealing: await unwrap('sealing'), naming: await unwrap('naming') };
}

async function asked(master: MasterKey, verb: 'wrap' | 'unwrap', ask: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await ask();
  } catch (error) {
    if (Fault.is(error)) throw error;
    const message = `the master key ${master.id} did not ${verb} a key of the vault: ${reasonOf(error)}`;
    throw new Fault('dependency_unavailable', message, { cause: error });
  }
}
