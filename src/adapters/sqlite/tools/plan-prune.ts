import type { Address } from '../../../model/json/hash.ts';
import type { SqliteConnection } from '../connection.ts';
import { unpackText } from '../open-database.ts';
import { readPermissionHead } from '../permissions/permission-chain.ts';

/** A session whose retention is over, and the rows of its frames. */
export interface EndedSession {
  readonly sid: number;
  readonly session_id: string;
  readonly rows: readonly number[];
  /** The address of its decision record. */
  readonly record: Address | null;
}

/** The contents of the frames of a session. */
interface ReadSession {
  readonly rows: number[];
  /** The stored texts that its frames mention. */
  mentioned: readonly Address[];
  record: Address | null;
}

/** The sessions to prune, and the texts that are removed with them. */
export interface PrunePlan {
  readonly sessions: readonly EndedSession[];
  /** The last frame row and the number of permission records that the plan considers. */
  read: { readonly row: number; readonly records: number };
  /** Keeps the texts that new frames and records mention. Returns false if another process has pruned meanwhile. */
  include(news: { readonly frames: readonly string[]; readonly records: readonly string[] }): boolean;
  /** The texts that no session after this one mentions. Each is returned once. */
  textsUpTo(sid: number): readonly Address[];
}

const ADDRESS = /sha256:[0-9a-f]{64}/g;

const addressesIn = (text: string): readonly Address[] => [...new Set((text.match(ADDRESS) ?? []) as Address[])];

/**
 * Finds the texts that only the frames of these sessions mention, and the texts that only those texts mention, and so on.
 * Decision records and gate packets stay. Reads every frame and every text of the store once.
 */
export function planPrune(
  connection: SqliteConnection,
  over: readonly Pick<EndedSession, 'sid' | 'session_id'>[],
): PrunePlan {
  const { statements } = connection;
  const texts = storedTexts(connection);
  const read = readSessions(connection, over, texts);
  const dying =
    read.size === 0 ? new Map<Address, number>() : dyingTexts(read, keptTexts(connection, read, texts), texts);
  const keep = (address: Address, seen = new Set<Address>()): void => {
    if (seen.has(address)) return;
    seen.add(address);
    dying.delete(address);
    for (const below of texts.below(address)) keep(below, seen);
  };
  return {
    sessions: over.map(({ sid, session_id }) => {
      const { rows = [], record = null } = read.get(sid) ?? {};
      return { sid, session_id, rows, record };
    }),
    read: { row: Number(statements.lastRow.get()?.['row']), records: readPermissionHead(statements).count },
    include: ({ frames, records }) => {
      for (const text of frames) for (const address of addressesIn(text)) keep(address);
      for (const text of records) for (const address of addressesIn(text)) dying.delete(address);
      return !records.some((text) => text.includes('"session_pruned"'));
    },
    textsUpTo: (last) => {
      const due = [...dying].filter(([, sid]) => sid <= last).map(([address]) => address);
      for (const address of due) dying.delete(address);
      return due;
    },
  };
}

/** The texts to remove, each with the last session that mentions it. */
function dyingTexts(read: ReadonlyMap<number, ReadSession>, kept: KeptTexts, texts: StoredTexts): Map<Address, number> {
  const dying = new Map<Address, number>();
  for (const [sid, { mentioned }] of read) {
    const next = mentioned.filter((address) => !kept.direct.has(address));
    // The loop also visits the addresses that it appends.
    for (const address of next) {
      if (dying.get(address) === sid) continue;
      dying.set(address, sid);
      next.push(...texts.below(address).filter((below) => !kept.all.has(below)));
    }
  }
  return dying;
}

/** The texts of a store that belong to no single frame. */
interface StoredTexts {
  /** The stored texts that a text mentions. Empty if there is no such text. */
  below(address: Address): readonly Address[];
  has(address: Address): boolean;
}

function storedTexts({ db }: SqliteConnection): StoredTexts {
  const stored = db.prepare('select text from blobs where address = ?');
  const exists = db.prepare('select 1 from blobs where address = ?');
  const known = new Map<Address, readonly Address[]>();
  const has = (address: Address): boolean => known.has(address) || exists.get(address) !== undefined;
  return {
    has,
    below: (address) => {
      const before = known.get(address);
      if (before !== undefined) return before;
      const row = stored.get(address);
      if (row === undefined) return [];
      const found = addressesIn(unpackText(row['text'] as string | Uint8Array)).filter(
        (below) => below !== address && has(below),
      );
      known.set(address, found);
      return found;
    },
  };
}

/** Reads the frames of sessions, by the number of the session and in its order. */
function readSessions(
  { db }: SqliteConnection,
  over: readonly Pick<EndedSession, 'sid'>[],
  texts: StoredTexts,
): ReadonlyMap<number, ReadSession> {
  const read = new Map(over.map(({ sid }): [number, ReadSession] => [sid, { rows: [], mentioned: [], record: null }]));
  if (read.size === 0) return read;
  for (const { row, sid } of db.prepare('select row, sid from frames').iterate())
    read.get(Number(sid))?.rows.push(Number(row));
  const stored = db.prepare('select events, notes from frames left join extras using (row) where row = ?');
  for (const session of read.values()) {
    const found = new Set<Address>();
    for (const row of session.rows) {
      const frame = stored.get(row) ?? {};
      for (const address of addressesIn(textOf(frame))) found.add(address);
      session.record = recordIn(eventsOf(frame)) ?? session.record;
    }
    session.mentioned = [...found].filter(texts.has);
  }
  return read;
}

/** The address of the decision record that ends a run; null for any other frame. */
function recordIn(events: string): Address | null {
  if (!events.includes('"run_terminated"')) return null;
  const list = JSON.parse(events) as readonly { readonly type?: string; readonly record?: string }[];
  return (list.find(({ type }) => type === 'run_terminated')?.record as Address | undefined) ?? null;
}

const eventsOf = ({ events }: Record<string, unknown>): string => unpackText((events ?? '') as string | Uint8Array);

const textOf = (row: Record<string, unknown>): string => `${eventsOf(row)}${row['notes'] ?? ''}`;

interface KeptTexts {
  /** The texts that a surviving frame, a gate, a record or another text mentions. */
  readonly direct: ReadonlySet<Address>;
  /** These and the texts that a kept gate packet or record mentions. Only a pruned session releases a text of its frames. */
  readonly all: ReadonlySet<Address>;
}

/** The mentioned texts that stay. */
function keptTexts({ db }: SqliteConnection, pruned: ReadonlyMap<number, ReadSession>, texts: StoredTexts): KeptTexts {
  const candidates = reachable(
    [...pruned.values()].flatMap(({ mentioned }) => mentioned),
    texts,
  );
  const found = new Set<Address>();
  const scan = (text: string, into: Set<Address>): void => {
    for (const address of addressesIn(text)) if (candidates.has(address)) into.add(address);
  };
  const frames = db.prepare('select sid, events, notes from frames left join extras using (row)');
  for (const row of frames.iterate()) if (!pruned.has(Number(row['sid']))) scan(textOf(row), found);
  for (const { address, text } of db.prepare('select address, text from blobs').iterate())
    if (!candidates.has(address as Address)) scan(unpackText(text as string | Uint8Array), found);
  const survivors = reachable([...found], texts);
  // The pruning of a session records the address of its decision record.
  const shown = new Set<Address>([...pruned.values()].flatMap(({ record }) => record ?? []));
  for (const { packet_hash } of db.prepare('select packet_hash from gates').iterate()) scan(String(packet_hash), shown);
  for (const { record } of db.prepare('select record from permissions').iterate()) scan(String(record), shown);
  const direct = new Set([...survivors, ...shown]);
  return { direct, all: new Set([...direct, ...[...shown].flatMap(texts.below)]) };
}

/** These texts, and all that they mention, directly or through other texts. */
function reachable(from: readonly Address[], texts: StoredTexts): ReadonlySet<Address> {
  const found = new Set(from);
  // A Set is iterated in insertion order and includes entries added during the loop.
  for (const address of found) for (const below of texts.below(address)) found.add(below);
  return found;
}
