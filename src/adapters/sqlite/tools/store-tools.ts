import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault } from '../../../model/fault/fault.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address, Hash } from '../../../model/json/hash.ts';
import type { Signatures } from '../../../ports/keys.ts';
import type {
  AnchorFinding,
  AnchorOptions,
  Anchors,
  AnchorVerdict,
  ChainHead,
  Pruned,
  PruneOptions,
  StoreTools,
} from '../../../ports/store/store-tools.ts';
import { openSqliteConnection, type SqliteConnection } from '../connection.ts';
import { builtin, unpackText } from '../open-database.ts';
import { createPrivate } from '../private-file.ts';
import { readFrames } from '../read.ts';
import { isPruned, PRUNED_ROW, toFault } from '../sqlite-fault.ts';
import { checkStoreFile, type ListedSession, sessionsIn, withFile } from './check.ts';

interface StoreToolParts {
  readonly hash: Hash;
  readonly signatures: Signatures;
  readonly sign: (privateKey: string, text: string) => string;
}

export function sqliteStoreTools({ hash, signatures, sign }: StoreToolParts): StoreTools {
  return {
    check: (file) => checkStoreFile(resolve(file), hash),
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
  withFile(file, 'read', () => undefined);
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

const signedText = ({ kind, at, heads }: Omit<Anchors, 'signature'>): string =>
  canonicalize({ kind, at, heads: heads.map((head) => ({ ...head })) });

function anchorStore(
  file: string,
  { now, session, key }: AnchorOptions,
  sign: (privateKey: string, text: string) => string,
): Anchors {
  const heads = withFile(file, 'read', (connection) =>
    sessionsIn(connection)
      .filter(({ session_id }) => session === undefined || session === session_id)
      .map(({ session_id, seq, head_hash }): ChainHead => ({ session_id, seq, head_hash })),
  );
  if (session !== undefined && heads.length === 0)
    throw new Fault('session_not_found', `there is no session ${session} in ${file}`);
  const body = { kind: 'ambit_anchors@1', at: now, heads } as const;
  if (key === undefined) return { ...body, signature: null };
  return { ...body, signature: { public_key: key.publicKey, value: sign(key.privateKey, signedText(body)) } };
}

/**
 * Compares a store with its anchors. The chain reveals a change in the middle, and the session's row a missing end. A
 * person with write access can change both consistently; only an anchor kept elsewhere reveals that.
 */
function verifyAnchors(
  file: string,
  anchors: Anchors,
  publicKey: string | undefined,
  { hash, signatures }: { readonly hash: Hash; readonly signatures: Signatures },
): AnchorVerdict {
  const signature = ruleOnSignature(anchors, publicKey, signatures);
  const findings = withFile(file, 'read', (connection) => {
    const stored = new Map(sessionsIn(connection).map((session) => [session.session_id, session]));
    return anchors.heads.map((head) => findingOf(connection, head, stored.get(head.session_id), hash));
  });
  const isSigned = signature === 'good' || (signature === 'none' && publicKey === undefined);
  const isIntact = findings.every(
    ({ verdict }) => verdict === 'unchanged' || verdict === 'grown' || verdict === 'pruned',
  );
  return { signature, findings, ok: isSigned && isIntact };
}

function ruleOnSignature(
  anchors: Anchors,
  publicKey: string | undefined,
  signatures: Signatures,
): AnchorVerdict['signature'] {
  const { signature } = anchors;
  if (signature === null) return 'none';
  if (publicKey !== undefined && publicKey !== signature.public_key) return 'of_another_key';
  return signatures.verify(signature.public_key, signedText(anchors), signature.value) ? 'good' : 'bad';
}

function findingOf(
  { statements }: SqliteConnection,
  { session_id, seq, head_hash }: ChainHead,
  session: ListedSession | undefined,
  hash: Hash,
): AnchorFinding {
  const bad = (verdict: 'missing' | 'truncated' | 'rewritten' | 'damaged', message: string): AnchorFinding => ({
    session_id,
    verdict,
    message,
  });
  if (session === undefined) return bad('missing', `session ${session_id} had ${seq} frames and is gone`);
  if (session.seq < seq) return bad('truncated', `session ${session_id} had ${seq} frames and has ${session.seq}`);
  if (isPruned(session)) {
    if (session.seq === seq && session.head_hash !== head_hash)
      return bad('rewritten', `session ${session_id} ended with another frame than ${head_hash}`);
    return { session_id, verdict: 'pruned' };
  }
  try {
    const there = readFrames(statements, hash, session_id, 1)[seq - 1];
    if (there?.hash !== head_hash) return bad('rewritten', `frame ${seq} of session ${session_id} is not ${head_hash}`);
  } catch (error) {
    return bad('damaged', error instanceof Error ? error.message : String(error));
  }
  return { session_id, verdict: session.seq === seq ? 'unchanged' : 'grown' };
}

/** Prunes in one transaction: each session is either unchanged or pruned. */
function pruneStoreFile(file: string, { tenant, olderThanMs, now }: PruneOptions): Pruned {
  if (!(olderThanMs >= 0 && Number.isSafeInteger(now - olderThanMs))) {
    throw new Fault(
      'input_invalid',
      `olderThanMs and now are whole milliseconds from 0 on, not ${olderThanMs} and ${now}`,
    );
  }
  return withFile(file, 'write', (connection) => {
    const { db, statements } = connection;
    statements.begin.run();
    try {
      const over = db
        .prepare(
          `select sid, session_id from sessions where tenant_id = ? and terminal_code is not null and updated_at <= ?
           and last_row <> ${PRUNED_ROW} order by sid`,
        )
        .all(tenant, now - olderThanMs) as unknown as readonly OldSession[];
      const mentioned = new Set<Address>();
      let frames = 0;
      for (const session of over) frames += removeFrames(connection, session, mentioned);
      const texts = removeUnreferred(connection, mentioned);
      statements.commit.run();
      return { sessions: over.map(({ session_id }) => session_id), frames, texts };
    } catch (error) {
      if (db.isTransaction) statements.rollback.run();
      throw error;
    }
  });
}

interface OldSession {
  readonly sid: number;
  readonly session_id: string;
}

const ADDRESS = /sha256:[0-9a-f]{64}/g;

/** Removes a session's frames and their extras. Collects every address that they mention. */
function removeFrames({ db }: SqliteConnection, { sid }: OldSession, mentioned: Set<Address>): number {
  const rows = db.prepare('select row, events, notes from frames left join extras using (row) where sid = ?').all(sid);
  const id = db.prepare('delete from checkpoint_ids where row = ?');
  const extras = db.prepare('delete from extras where row = ?');
  const frame = db.prepare('delete from frames where row = ?');
  let record: Address | null = null;
  for (const { row, events, notes } of rows) {
    const text = unpackText(events as string | Uint8Array);
    record = recordIn(text) ?? record;
    for (const [address] of `${text}${notes ?? ''}`.matchAll(ADDRESS)) mentioned.add(address as Address);
    for (const statement of [id, extras, frame]) statement.run(row as number);
  }
  db.prepare('insert into pruned (sid, record) values (?, ?)').run(sid, record);
  db.prepare(`update sessions set last_row = ${PRUNED_ROW}, wake_at = null where sid = ?`).run(sid);
  return rows.length;
}

/** The address of the decision record that ends a run; null for any other frame. */
function recordIn(events: string): Address | null {
  if (!events.includes('"run_terminated"')) return null;
  const list = JSON.parse(events) as readonly { readonly type?: string; readonly record?: string }[];
  return (list.find(({ type }) => type === 'run_terminated')?.record as Address | undefined) ?? null;
}

/**
 * Removes the texts that only removed frames mention, then the texts that only those texts mention, and so on. Decision
 * records and gate packets stay.
 */
function removeUnreferred({ db }: SqliteConnection, mentioned: Set<Address>): number {
  const stored = db.prepare('select text from blobs where address = ?');
  const remove = db.prepare('delete from blobs where address = ?');
  let removed = 0;
  let next = [...mentioned].filter((address) => stored.get(address) !== undefined);
  while (next.length > 0) {
    const kept = stillMentioned(db, new Set(next));
    const going = next.filter((address) => !kept.has(address));
    const below = new Set<Address>();
    for (const address of going) {
      const text = unpackText(stored.get(address)?.['text'] as string | Uint8Array);
      for (const [inner] of text.matchAll(ADDRESS)) below.add(inner as Address);
      remove.run(address);
      removed += 1;
    }
    next = [...below].filter((address) => stored.get(address) !== undefined);
  }
  return removed;
}

/** The addresses that a frame, a gate, a decision record or another text still mentions. */
function stillMentioned(db: SqliteConnection['db'], candidates: ReadonlySet<Address>): ReadonlySet<Address> {
  const found = new Set<Address>();
  const scan = (text: string, own?: string): void => {
    for (const [address] of text.matchAll(ADDRESS))
      if (address !== own && candidates.has(address as Address)) found.add(address as Address);
  };
  for (const { events, notes } of db.prepare('select events, notes from frames left join extras using (row)').iterate())
    scan(`${unpackText(events as string | Uint8Array)}${notes ?? ''}`);
  for (const { packet_hash } of db.prepare('select packet_hash from gates').iterate()) scan(String(packet_hash));
  for (const { record } of db.prepare('select record from pruned').iterate()) scan(String(record));
  for (const { address, text } of db.prepare('select address, text from blobs').iterate()) {
    // A candidate for removal does not keep another text; if it is removed, its own mentions are checked next.
    if (!candidates.has(address as Address)) scan(unpackText(text as string | Uint8Array), String(address));
  }
  return found;
}
