import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../model/fault/fault.ts';
import { isSealedHandle, sealedHandle } from '../../model/json/sealed.ts';
import type { Erasure, SealedTenant, Vault, VaultAccess } from '../../ports/store/vault.ts';
import { type DatabaseFile, openDatabaseFile, queryRunner } from './open-database.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const TABLES = `
create table keys (tenant_id text not null primary key, sealing blob not null, naming blob not null) strict;
create table sealed (tenant_id text not null, handle text not null, box blob not null, primary key (tenant_id, handle)) strict, without rowid;
create table looks (tenant_id text not null, look_json text not null) strict;
create table erasures (tenant_id text not null, handles integer not null, erasure_json text not null) strict;
`;

/** "ambv" in ASCII. */
const VAULT: DatabaseFile = { applicationId: 0x61_6d_62_76, version: 1, tables: TABLES, holds: 'sealed values' };

const TENANTS = `
select tenant_id,
  exists (select 1 from keys k where k.tenant_id = t.tenant_id) as has_key,
  (select count(*) from sealed s where s.tenant_id = t.tenant_id) as "values",
  (select erasure_json ->> '$.at' from erasures e where e.tenant_id = t.tenant_id order by rowid desc limit 1) as erased_at
from (select tenant_id from keys union select tenant_id from erasures) t order by tenant_id`;

type StoredTenant = Omit<SealedTenant, 'has_key'> & { readonly has_key: 0 | 1 };

interface Keys {
  readonly sealing: Uint8Array;
  readonly naming: Uint8Array;
}

/** A vault in one SQLite file: AES-256-GCM with a key per tenant. A second key makes handles by keyed digest. */
export function sqliteVault(path: string): Vault {
  const file = path === ':memory:' ? path : resolve(path);
  const db = openDatabaseFile(file, VAULT);
  const ask = queryRunner(file);
  const opened = (tenantId: string, handle: string): string => {
    const one = 'select box from sealed where tenant_id = ? and handle = ?';
    const found = isSealedHandle(handle) ? db.prepare(one).get(tenantId, handle) : undefined;
    if (found === undefined) throw notThere(db, tenantId, handle);
    return decrypt(keysOf(db, tenantId).sealing, found['box'] as Uint8Array, `${tenantId}\n${handle}`);
  };
  return {
    seal: async (tenantId, text) =>
      ask('seal a value', () => {
        const keys = keysOf(db, tenantId);
        const handle = sealedHandle(createHmac('sha256', keys.naming).update(text).digest('hex'));
        const box = encrypt(keys.sealing, text, `${tenantId}\n${handle}`);
        db.prepare('insert or ignore into sealed values (?, ?, ?)').run(tenantId, handle, box);
        return handle;
      }),
    open: async (tenantId, handle) => ask('open a sealed value', () => opened(tenantId, handle)),
    reveal: async (look) =>
      ask('reveal a sealed value', () => {
        const text = opened(look.tenant_id, look.handle);
        db.prepare('insert into looks values (?, ?)').run(look.tenant_id, JSON.stringify(look));
        return text;
      }),
    accesses: async (tenantId) =>
      ask('see who looked', () => {
        const rows = db.prepare('select look_json from looks where tenant_id = ? order by rowid').all(tenantId);
        return rows.map((row) => JSON.parse(String(row['look_json'])) as VaultAccess);
      }),
    erase: async (erasure) => ask('erase what is sealed', () => erase(db, erasure)),
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

/** Returns both keys of a tenant, and creates them for its first value. */
function keysOf(db: DatabaseSync, tenantId: string): Keys {
  const insert = 'insert or ignore into keys values (?, ?, ?)';
  db.prepare(insert).run(tenantId, randomBytes(KEY_BYTES), randomBytes(KEY_BYTES));
  return db.prepare('select sealing, naming from keys where tenant_id = ?').get(tenantId) as unknown as Keys;
}

/** Binds the ciphertext to its handle and tenant, so that it cannot be opened under another. */
function encrypt(key: Uint8Array, text: string, about: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, box: Uint8Array, about: string): string {
  const end = box.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(about))
    .setAuthTag(box.subarray(end));
  try {
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, end)), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new Fault('store_corrupt', 'a sealed value does not open with the key of its tenant', { cause: error });
  }
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
