import { Fault } from '../../../model/fault/fault.ts';
import type { Address } from '../../../model/json/hash.ts';
import type { Pruned, PruneOptions } from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import { unpackText } from '../open-database.ts';
import { pruningOf } from '../permissions/prunings.ts';
import { PRUNED_ROW } from '../sqlite-fault.ts';
import { withFile } from './check.ts';

/** Prunes in one transaction: each session is either unchanged, or pruned and recorded as pruned. */
export function pruneStoreFile(file: string, { tenant, olderThanMs, now, reason, key }: PruneOptions): Pruned {
  if (!(olderThanMs >= 0 && Number.isSafeInteger(now - olderThanMs))) {
    throw new Fault(
      'input_invalid',
      `olderThanMs and now are whole milliseconds from 0 on, not ${olderThanMs} and ${now}`,
    );
  }
  return withFile(file, { access: 'write', key }, (connection) => {
    const { db, permissions } = connection;
    return permissions.change(() => {
      const over = db
        .prepare(
          `select sid, session_id from sessions where tenant_id = ? and terminal_code is not null and updated_at <= ?
           and last_row <> ${PRUNED_ROW} order by sid`,
        )
        .all(tenant, now - olderThanMs) as unknown as readonly OldSession[];
      const mentioned = new Set<Address>();
      let frames = 0;
      for (const session of over) {
        const removed = removeFrames(connection, session, mentioned);
        frames += removed.frames;
        const why = { record: removed.record, reason: reason ?? OVER, at: now, older_than_ms: olderThanMs };
        permissions.append({ kind: 'session_pruned', pruning: pruningOf(db, session.sid, why) });
      }
      const texts = removeUnreferred(connection, mentioned);
      return { sessions: over.map(({ session_id }) => session_id), frames, texts };
    });
  });
}

const OVER = 'its retention is over';

interface OldSession {
  readonly sid: number;
  readonly session_id: string;
}

const ADDRESS = /sha256:[0-9a-f]{64}/g;

/** Removes a session's frames and their extras. Collects every address that they mention. */
function removeFrames(
  { db }: SqliteConnection,
  { sid }: OldSession,
  mentioned: Set<Address>,
): { readonly frames: number; readonly record: Address | null } {
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
  db.prepare(`update sessions set last_row = ${PRUNED_ROW}, wake_at = null where sid = ?`).run(sid);
  return { frames: rows.length, record };
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
  for (const { record } of db.prepare('select record from permissions').iterate()) scan(String(record));
  for (const { address, text } of db.prepare('select address, text from blobs').iterate()) {
    // A candidate for removal does not keep another text; if it is removed, its own mentions are checked next.
    if (!candidates.has(address as Address)) scan(unpackText(text as string | Uint8Array), String(address));
  }
  return found;
}
