import type { Frame } from '../../../model/events/frame.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address, Hash } from '../../../model/json/hash.ts';
import type { Json } from '../../../model/json/json.ts';
import type { CheckpointRow } from '../../../ports/journal/rows.ts';
import type { StandingUse } from '../../../ports/journal/standing-grants.ts';
import { verifyText } from '../../../ports/journal/verify-stored.ts';
import type { RebuildRows, RebuiltRows } from '../../../ports/store/store-tools.ts';
import type { SqliteConnection } from '../connection.ts';
import { checkpointsIn, foldLedger, ledgerOf, type Notes } from '../extras.ts';
import type { StoredSession } from '../known-sessions.ts';
import { findText, readFrames } from '../read.ts';

/** The state that the sessions share during one check of a file. */
export interface CheckContext {
  readonly connection: SqliteConnection;
  readonly hash: Hash;
  readonly rebuild: RebuildRows;
  /** Whether any session or the shared texts hold the text at an address. */
  readonly isStored: (address: Address) => boolean;
  /** The uses of standing grants by session. */
  readonly uses: ReadonlyMap<string, readonly StandingUse[]>;
}

export interface CheckedSession {
  readonly problems: readonly string[];
  readonly unverified: readonly string[];
}

/** Verifies the chain of a session, derives its rows again and compares every column with the stored rows. */
export function checkSession(
  context: CheckContext,
  session: StoredSession,
  chain: readonly ChainRow[],
): CheckedSession {
  const { connection, hash, rebuild } = context;
  const { statements } = connection;
  const { session_id, last_row } = session;
  const own = new Set(chain.flatMap(({ notes }) => (notes.t ?? []).map(([address]) => address)));
  const frames = readFrames(statements, hash, session_id, 1);
  const problems = compareChain(session, frames, chain);
  const isImported = chain.some(({ notes }) => isImport(session_id, notes));
  const textAt = (address: Address): string => verifyText(address, findText(statements, address, { last_row }), hash);
  const rows = rebuild(frames, { textAt, isImported });
  if ('why' in rows) return { problems, unverified: [rows.why] };
  const unverified: string[] = [];
  const stored = storedRows(context, session, chain);
  const expected = expectedRows(rows, session_id);
  for (const { row, column, message } of differences(stored, expected)) {
    if (row === 'session' && rows.unverified.some((name) => name === column))
      unverified.push(`no frame proves ${column}`);
    else problems.push(message);
  }
  // A lookup walks the session's frames, so it is left out for a text that the session is known to store.
  for (const address of rows.texts)
    if (!own.has(address) && !context.isStored(address))
      problems.push(`refers to ${address}, which is not in the store`);
  return { problems, unverified };
}

export interface ChainRow {
  readonly row: number;
  readonly sid: number;
  readonly seq: number;
  readonly before: number | null;
  readonly notes: Notes;
}

/** The rows of a session's frames from the first to the last, with what is stored next to each. */
export function chainOf({ db }: SqliteConnection, { last_row }: Pick<StoredSession, 'last_row'>): readonly ChainRow[] {
  const rows = db.prepare(CHAIN).all(last_row).reverse();
  return rows.map(({ row, sid, seq, before, notes }) => ({
    row: Number(row),
    sid: Number(sid),
    seq: Number(seq),
    before: before === null ? null : Number(before),
    notes: notes === null ? {} : (JSON.parse(String(notes)) as Notes),
  }));
}

const CHAIN = `
with recursive walk (row, depth) as (
  select ?, 0
  union all
  select f.before, depth + 1 from walk join frames f on f.row = walk.row where f.before < f.row
)
select f.row, f.sid, f.seq, f.before, x.notes from walk join frames f on f.row = walk.row left join extras x on x.row = f.row
order by depth`;

function compareChain(session: StoredSession, frames: readonly Frame[], chain: readonly ChainRow[]): string[] {
  const problems: string[] = [];
  if (chain.length !== frames.length) problems.push(`has ${chain.length} rows for ${frames.length} frames`);
  const first = chain[0]?.before ?? null;
  if (first !== null) problems.push(`its first frame continues row ${first}`);
  if (chain[0]?.row !== session.sid)
    problems.push(`sid is ${session.sid}, and its first frame is row ${chain[0]?.row}`);
  for (const { row, sid, seq } of chain)
    if (sid !== session.sid) problems.push(`frame ${seq}: row ${row} has sid ${sid} instead of ${session.sid}`);
  return problems;
}

type Row = Readonly<Record<string, Json>>;

/** All rows of one session by their names, so that they can be compared column by column. */
type Rows = ReadonlyMap<string, Row>;

function storedRows(
  { connection: { db }, uses }: CheckContext,
  session: StoredSession,
  chain: readonly ChainRow[],
): Rows {
  const { session_id } = session;
  const { sid: _, last_row: __, ...row } = session;
  const all = (sql: string): readonly Row[] =>
    db
      .prepare(sql)
      .all(session_id)
      .map((each) => ({ ...each }) as Row);
  const checkpoints = chain.flatMap(({ seq, notes }) =>
    checkpointsIn(notes).map(([checkpoint_id, address]) => ({ checkpoint_id, session_id, seq, address })),
  );
  return named({
    session: [{ ...row } as unknown as Row],
    gate: all('select * from gates where session_id = ? order by gate_id'),
    grant: all('select * from grant_uses where session_id = ? order by grant_id'),
    effect: ledgerOf(
      session_id,
      chain.map(({ notes }) => notes),
    ),
    checkpoint: checkpoints.filter(({ checkpoint_id }) => checkpoint_id !== importMark(session_id)),
    standing: uses.get(session_id) ?? [],
  });
}

function expectedRows(rows: RebuiltRows, session_id: string): Rows {
  const gates = new Map(rows.gates.map((gate) => [gate.gate_id, gate]));
  const checkpoints = new Map<string, CheckpointRow>();
  for (const row of rows.checkpoints) if (!checkpoints.has(row.checkpoint_id)) checkpoints.set(row.checkpoint_id, row);
  const numbered = [...checkpoints.keys()].reduce(
    (count, id) => (id === `ck_${session_id}_${count + 1}` ? count + 1 : count),
    0,
  );
  return named({
    session: [{ ...rows.session, session_id, checkpoints: numbered } as unknown as Row],
    gate: [...gates.values()].toSorted((a, b) => byText(a.gate_id, b.gate_id)),
    grant: rows.grants.toSorted((a, b) => byText(a.grant_id, b.grant_id)),
    effect: foldLedger(rows.effects),
    checkpoint: [...checkpoints.values()],
    standing: rows.standing,
  });
}

/** SQLite compares texts by their bytes in UTF-8. */
const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Whether these notes are those of the first frame of an import. */
export const isImport = (session: string, notes: Notes): boolean =>
  checkpointsIn(notes).some(([id]) => id === importMark(session));

/** The id of the checkpoint that holds the note of an import. */
const importMark = (session: string): string => `imported_${session}`;

function named(lists: Readonly<Record<string, readonly object[]>>): Rows {
  const rows = new Map<string, Row>();
  for (const [name, list] of Object.entries(lists))
    for (const [place, row] of list.entries())
      rows.set(name === 'session' ? name : `${name} ${place + 1}`, { ...row } as Row);
  return rows;
}

interface Difference {
  readonly row: string;
  readonly column: string;
  readonly message: string;
}

function* differences(stored: Rows, expected: Rows): Generator<Difference> {
  for (const row of new Set([...stored.keys(), ...expected.keys()])) {
    const [found, due] = [stored.get(row), expected.get(row)];
    if (due === undefined) yield { row, column: '', message: `${row} follows from none of its frames` };
    else if (found === undefined) yield { row, column: '', message: `${row} is missing` };
    else
      for (const column of new Set([...Object.keys(found), ...Object.keys(due)])) {
        const [is, must] = [shown(found[column]), shown(due[column])];
        if (is !== must) yield { row, column, message: `${row}: ${column} is ${is}, and its frames lead to ${must}` };
      }
  }
}

const shown = (value: Json | undefined): string => (value === undefined ? 'nothing' : canonicalize(value));
