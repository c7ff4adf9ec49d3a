import { Fault } from '../../../model/fault/fault.ts';
import { type Address, addressOfText, type Hash } from '../../../model/json/hash.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import type { KeyPair } from '../../../ports/keys.ts';
import type { RebuildRows, StoreProblem, StoreReport } from '../../../ports/store/store-tools.ts';
import { openSqliteConnection, type SqliteConnection } from '../connection.ts';
import { checkpointsIn, type Notes, resultsIn, textIn } from '../extras.ts';
import type { StoredSession } from '../known-sessions.ts';
import { openDatabase, unpackText } from '../open-database.ts';
import { fileStatus } from '../private-file.ts';
import { allRows } from '../rows.ts';
import { SCHEMA_VERSION } from '../schema.ts';
import { isPruned } from '../sqlite-fault.ts';
import { checkFrames } from './check-frames.ts';
import { checkPermissions, prunedProblems } from './check-permissions.ts';
import { type CheckContext, chainOf, checkSession, isImport } from './check-session.ts';
import { schemaProblems } from './expected-schema.ts';
import { notedIds, strayRows } from './stray-rows.ts';

interface CheckOptions {
  readonly hash: Hash;
  readonly rebuild: RebuildRows;
  readonly publicKey: string | null;
}

/** Reads everything, verifies all hashes and derives every row again. Lists the problems and repairs nothing. */
export function checkStore(connection: SqliteConnection, options: CheckOptions): Omit<StoreReport, 'file'> {
  const problems: StoreProblem[] = [];
  const unverified: StoreProblem[] = [];
  const report = <T>(place: string, check: () => T): T | null => reportFault(problems, place, check);
  report('', () => problems.push(...fileProblems(connection)));
  report('/schema', () => problems.push(...schemaProblems(connection.db)));
  const permissions = checkPermissions(connection, options.publicKey);
  problems.push(...permissions.problems);
  const sessions = report('/sessions', () => allSessions(connection)) ?? [];
  const { uses, prunings, names } = permissions;
  const isStored = storedTexts(connection);
  const context: CheckContext = { connection, hash: options.hash, rebuild: options.rebuild, uses, isStored };
  const rows = new Map<number, number>();
  const checkpoints = new Map<string, readonly [row: number, needsList: boolean]>();
  const imported = new Set<string>();
  for (const session of sessions) {
    const place = `/sessions${pointerToken(session.session_id)}`;
    if (isPruned(session)) {
      report(place, () => problems.push(...prunedProblems(connection, session, prunings.get(session.session_id))));
      continue;
    }
    const chain = report(place, () => chainOf(connection, session)) ?? [];
    for (const { row, notes } of chain) {
      rows.set(row, session.sid);
      for (const [id, needsList] of notedIds(session.session_id, notes)) checkpoints.set(id, [row, needsList]);
      if (isImport(session.session_id, notes)) imported.add(session.session_id);
    }
    const checked = report(place, () => checkSession(context, session, chain));
    problems.push(...(checked?.problems ?? []).map((message) => ({ place, message })));
    unverified.push(...(checked?.unverified ?? []).map((message) => ({ place, message })));
  }
  const frames = report('/frames', () =>
    checkFrames(connection, names, options.publicKey, (session) => imported.has(session)),
  );
  problems.push(...(frames?.problems ?? []));
  report('', () => problems.push(...strayRows(connection, { sessions, rows, checkpoints, uses, prunings })));
  const texts: Address[] = [];
  report('/extras', () => texts.push(...keptTexts(connection, options.hash, isStored, problems)));
  report('/blobs', () => texts.push(...sharedTexts(connection, options.hash, problems)));
  return {
    format: SCHEMA_VERSION,
    sessions: sessions.length,
    store_id: names[0]?.store_id ?? null,
    frames: rows.size,
    unsigned_frames: frames?.unsigned ?? rows.size,
    texts: texts.length,
    pruned: sessions.filter(isPruned).length,
    permissions: permissions.count,
    unverified,
    problems,
  };
}

/** Runs one part of a check. Its fault is a problem of the store, and the other parts go on. */
function reportFault<T>(problems: StoreProblem[], place: string, check: () => T): T | null {
  try {
    return check();
  } catch (error) {
    problems.push({ place: `${place}${Fault.is(error) ? (error.path ?? '') : ''}`, message: messageOf(error) });
    return null;
  }
}

const allSessions = ({ db }: SqliteConnection): readonly StoredSession[] =>
  allRows<StoredSession>(db.prepare('select * from sessions order by sid'), []);

/** The problems that SQLite itself finds in pages, indexes and references. */
function* fileProblems({ db }: SqliteConnection): Generator<StoreProblem> {
  for (const row of db.prepare('pragma integrity_check').all()) {
    const found = String(Object.values(row)[0]);
    if (found !== 'ok') yield { place: '', message: found };
  }
  for (const row of db.prepare('pragma foreign_key_check').all())
    yield {
      place: `/${String(row['table'])}`,
      message: `refers to a row of ${String(row['parent'])} that is not there`,
    };
}

/**
 * Tells which texts are stored, from one pass over the notes of all frames. A lookup of each would walk the frames of its
 * session, or those of all sessions.
 */
function storedTexts({ db, statements }: SqliteConnection): CheckContext['isStored'] {
  let noted: ReadonlySet<string> | null = null;
  const readNoted = (): ReadonlySet<string> => {
    const found = new Set<string>();
    for (const { notes } of db.prepare('select notes from extras').iterate())
      for (const [address] of parsed(String(notes))?.t ?? []) found.add(address);
    return found;
  };
  return (address) => {
    if (statements.blob.get(address) !== undefined) return true;
    noted ??= readNoted();
    return noted.has(address);
  };
}

/** Checks the texts in extras, and the references of checkpoints and ledger rows. */
function* keptTexts(
  { db, statements }: SqliteConnection,
  hash: Hash,
  isStored: CheckContext['isStored'],
  problems: StoreProblem[],
): Generator<Address> {
  const rows = db.prepare(
    'select x.row, notes, texts, f.seq, s.session_id from extras x left join frames f using (row) left join sessions s using (sid)',
  );
  for (const stored of rows.iterate()) {
    const { row, seq, session_id } = stored as { row: number; seq: number; session_id: string };
    const place = `/sessions${pointerToken(String(session_id))}/frames/${seq}`;
    const notes = parsed(String(stored['notes']));
    if (notes === null || session_id === null || !isComplete(notes, stored)) {
      problems.push({ place, message: `the extras of row ${row} belong to no frame or cannot be read` });
      continue;
    }
    const events = (): string => unpackText((statements.frame.get(row)?.['events'] ?? '') as string);
    for (const [address] of notes.t ?? []) {
      yield address;
      if (!isText(textIn(notes, address, String(stored['texts']), events), address, hash))
        problems.push({ place, message: `what is stored under ${address} was altered` });
    }
    const referred = [...checkpointsIn(notes).map(([, address]) => address), ...resultsIn(notes)];
    for (const address of referred) {
      if (notes.t?.some(([kept]) => kept === address)) continue;
      if (!isStored(address)) problems.push({ place, message: `refers to ${address}, which is not in the store` });
    }
  }
}

/** Whether notes are written as `packExtras` writes them, and cover every character of their texts. */
function isComplete(notes: Notes, stored: Record<string, unknown>): boolean {
  if (JSON.stringify(notes) !== stored['notes'] || Object.keys(notes).some((key) => !'tce'.includes(key))) return false;
  const covered = (notes.t ?? []).reduce((sum, [, , length, inEvents]) => sum + (inEvents === 1 ? 0 : length), 0);
  return covered === String(stored['texts']).length;
}

function parsed(notes: string): Notes | null {
  try {
    return JSON.parse(notes) as Notes;
  } catch {
    return null;
  }
}

function* sharedTexts({ db }: SqliteConnection, hash: Hash, problems: StoreProblem[]): Generator<Address> {
  for (const row of db.prepare('select address, text from blobs').iterate()) {
    const address = row['address'] as Address;
    yield address;
    if (!isText(unpackedOrNull(row['text'] as string | Uint8Array), address, hash))
      problems.push({
        place: `/blobs${pointerToken(address)}`,
        message: `what is stored under ${address} was altered`,
      });
  }
}

function unpackedOrNull(stored: string | Uint8Array): string | undefined {
  try {
    return unpackText(stored);
  } catch {
    return undefined;
  }
}

const isText = (text: string | undefined, address: Address, hash: Hash): boolean =>
  text !== undefined && addressOfText(hash, text) === address;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Opens an existing file for a tool. Never creates one. */
export function withFile<T>(
  file: string,
  { access, key }: { readonly access: 'read' | 'write'; readonly key?: KeyPair | undefined },
  use: (connection: SqliteConnection) => T,
): T {
  const found = fileStatus(file);
  if (found === null) throw new Fault('store_unavailable', `there is no file ${file}`);
  if (!found.isFile()) throw new Fault('store_unavailable', `${file} is not a file: name the file of a store`);
  if (access === 'read') rollBackUnfinished(file);
  const connection = openSqliteConnection(file, {
    busyTimeoutMs: 5_000,
    readOnly: access === 'read',
    ...(key === undefined ? {} : { anchorKey: key }),
  });
  try {
    return use(connection);
  } finally {
    connection.db.close();
  }
}

/** Opens the file writably once, which rolls back the unfinished write of a process that died. */
function rollBackUnfinished(file: string): void {
  const db = openDatabase(file, { timeout: 5_000 });
  try {
    db.prepare('select count(*) from sqlite_schema').get();
  } catch {
    // The following open reports any problem with the file.
  } finally {
    db.close();
  }
}

export interface ListedSession {
  readonly sid: number;
  readonly session_id: string;
  readonly tenant_id: string;
  readonly seq: number;
  readonly head_hash: `sha256:${string}`;
  readonly last_row: number;
}

export function sessionsIn({ db }: SqliteConnection): readonly ListedSession[] {
  const rows = db
    .prepare('select sid, session_id, tenant_id, seq, head_hash, last_row from sessions order by sid')
    .all();
  return rows as unknown as readonly ListedSession[];
}
