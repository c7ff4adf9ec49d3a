import { createHmac } from 'node:crypto';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../model/fault/fault.ts';
import { isSealedHandle, sealedHandle } from '../../../model/json/sealed.ts';
import type { Erasure, SealedTenant, Vault, VaultAccess, VaultProtection } from '../../../ports/store/vault.ts';
import { type DatabaseFile, openDatabaseFile, queryRunner } from '../open-database.ts';
import { decrypt, encrypt } from './aes-box.ts';
import { reasonWithoutValues } from './erasure-reason.ts';
import { masterKeyOf } from './master-key.ts';
import { assertWrapped, type VaultKeys, vaultKeys, wrapPlainKeys } from './vault-keys.ts';

const TABLES = `
create table keys (tenant_id text not null primary key, sealing blob not null, naming blob not null, master text not null default '') strict;
create table sealed (tenant_id text not null, handle text not null, box blob not null, primary key (tenant_id, handle)) strict, without rowid;
create table looks (tenant_id text not null, look_json text not null) strict;
create table erasures (tenant_id text not null, handles integer not null, erasure_json text not null) strict;
`;

/** "ambv" in ASCII. Version 1 had no master key. */
const VAULT: DatabaseFile = {
  applicationId: 0x61_6d_62_76,
  version: 2,
  tables: TABLES,
  holds: 'sealed values',
  older: { version: 1, upgrade: "alter table keys add column master text not null default ''" },
};

const TENANTS = `
select tenant_id,
  exists (select 1 from keys k where k.tenant_id = t.tenant_id) as has_key,
  (select count(*) from sealed s where s.tenant_id = t.tenant_id) as "values",
  (select erasure_json ->> '$.at' from erasures e where e.tenant_id = t.tenant_id order by rowid desc limit 1) as erased_at
from (select tenant_id from keys union select tenant_id from erasures) t order by tenant_id`;

type StoredTenant = Omit<SealedTenant, 'has_key'> & { readonly has_key: 0 | 1 };

/**
 * A vault in one SQLite file: AES-256-GCM with a key per tenant, which a master key from outside the file wraps. A
 * second key makes handles by keyed digest.
 */
export function sqliteVault(path: string, protection?: VaultProtection): Vault {
  const file = path === ':memory:' ? path : resolve(path);
  const master = masterKeyOf(file, protection);
  const db = openDatabaseFile(file, VAULT);
  const wrapsPlain = master !== null && protection?.wrapUnprotected === true;
  try {
    if (!wrapsPlain) assertWrapped(db, file, master);
  } catch (error) {
    db.close();
    throw error;
  }
  const wrapped = wrapsPlain ? wrapPlainKeys(db, master).then(() => assertWrapped(db, file, master)) : null;
  // A failure is reported by the first use of the vault.
  wrapped?.catch(() => undefined);
  return openedVault(db, file, vaultKeys(db, master), async () => await wrapped);
}

/** A vault over an open file. `ready` resolves when every key is wrapped. */
function openedVault(db: DatabaseSync, file: string, keys: VaultKeys, ready: () => Promise<unknown>): Vault {
  const ask = queryRunner(file);
  const opened = async (tenantId: string, handle: string): Promise<string> => {
    await ready();
    const found = ask('open a sealed value', () =>
      isSealedHandle(handle)
        ? db.prepare('select box from sealed where tenant_id = ? and handle = ?').get(tenantId, handle)
        : undefined,
    );
    const own = found === undefined ? null : await keys.find(tenantId);
    if (found === undefined || own === null) throw notThere(db, tenantId, handle);
    const about = `${tenantId}\n${handle}`;
    return decrypt(own.sealing, found['box'] as Uint8Array, about, 'a sealed value').toString('utf8');
  };
  return {
    seal: async (tenantId, text) => {
      if (typeof tenantId !== 'string' || typeof text !== 'string')
        throw new Fault('input_invalid', 'a vault seals a text for the id of a tenant');
      await ready();
      for (;;) {
        const own = await keys.ensure(tenantId);
        const handle = sealedHandle(createHmac('sha256', own.naming).update(text).digest('hex'));
        const box = encrypt(own.sealing, Buffer.from(text, 'utf8'), `${tenantId}\n${handle}`);
        const insert = (): unknown =>
          db.prepare('insert or ignore into sealed values (?, ?, ?)').run(tenantId, handle, box);
        // An erasure may have destroyed the keys meanwhile.
        if (ask('seal a value', () => keys.whileCurrent(tenantId, own, insert))) return handle;
      }
    },
    open: opened,
    reveal: async (look) => {
      const text = await opened(look.tenant_id, look.handle);
      return ask('reveal a sealed value', () => {
        db.prepare('insert into looks values (?, ?)').run(look.tenant_id, JSON.stringify(look));
        return text;
      });
    },
    accesses: async (tenantId) =>
      ask('see who looked', () => {
        const rows = db.prepare('select look_json from looks where tenant_id = ? order by rowid').all(tenantId);
        return rows.map((row) => JSON.parse(String(row['look_json'])) as VaultAccess);
      }),
    erase: async (erasure) => {
      const reason = await reasonWithoutValues(db, keys, erasure);
      ask('erase what is sealed', () => erase(db, { ...erasure, reason }));
    },
    erasures: async (tenantId) =>
      ask('look erasures up', () => {
        const rows = db.prepare('select erasure_json from erasures where tenant_id = ? order by rowid').all(tenantId);
        return rows.map((row) => JSON.parse(String(row['erasure_json'])) as Erasure);
      }),
    tenants: async () =>
      ask('see for whom something is sealed', () =>
        (db.prepare(TENANTS).all() as unknown as readonly StoredTenant[]).map(({ has_key, ...tenant }) => ({
          ...tenant,
          has_key: has_key === 1,
        })),
      ),
    close: async () => {
      if (db.isOpen) db.close();
    },
  };
}

function erase(db: DatabaseSync, erasure: Erasure): void {
  const { tenant_id } = erasure;
  // Overwrites deleted data in the file and, once it is copied back, in the log.
  db.exec('pragma secure_delete = on');
  db.exec('begin immediate');
  try {
    const { changes } = db.prepare('delete from sealed where tenant_id = ?').run(tenant_id);
    if (changes === 0) throw nothingToErase(db, tenant_id);
    db.prepare('delete from keys where tenant_id = ?').run(tenant_id);
    db.prepare('insert into erasures values (?, ?, ?)').run(tenant_id, changes, JSON.stringify(erasure));
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    // A reader may have kept the key in the log the first time, and the caller was asked to erase again.
    if (Fault.is(error) && error.code === 'sealed_erased') emptyLog(db, tenant_id);
    throw error;
  }
  emptyLog(db, tenant_id);
}

/** Empties the log, because a key in it is not destroyed. Throws if a reader prevents that. */
function emptyLog(db: DatabaseSync, tenantId: string): void {
  const busy = db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'];
  if (busy === 0) return;
  const message = `what was sealed for ${tenantId} is erased, but its key is still in the log beside the file, which another process is reading: erase it again when it has finished`;
  throw new Fault('store_unavailable', message);
}

/** Reports that nothing was erased now, and whether it was erased before. */
function nothingToErase(db: DatabaseSync, tenantId: string): Fault {
  return wasErased(db, tenantId)
    ? new Fault(
        'sealed_erased',
        `what was sealed for ${tenantId} has been erased already, and nothing was sealed since`,
      )
    : new Fault('sealed_unknown', `nothing was ever sealed for ${tenantId}: there is nothing to erase`);
}

const wasErased = (db: DatabaseSync, tenantId: string): boolean =>
  db.prepare('select 1 from erasures where tenant_id = ? and handles > 0').get(tenantId) !== undefined;

function notThere(db: DatabaseSync, tenantId: string, handle: string): Fault {
  if (isSealedHandle(handle) && wasErased(db, tenantId)) {
    return new Fault('sealed_erased', `what was sealed for ${tenantId} has been erased`);
  }
  return new Fault('sealed_unknown', `${tenantId} has no such sealed value`);
}
