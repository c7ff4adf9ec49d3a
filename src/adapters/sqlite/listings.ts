import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { GATE_STATUSES } from '../../model/gate/gate.ts';
import { RUN_MODES } from '../../model/run/run-request.ts';
import { SESSION_STATUSES } from '../../model/run/session-status.ts';
import { type GateFilter, LIST_LIMIT, type SessionFilter, type ThreadFilter } from '../../ports/journal/journal.ts';
import type { GateRow, SessionRow, ThreadRow } from '../../ports/journal/rows.ts';
import { LISTED_MODE } from './indexes.ts';
import { allRows, firstRow } from './rows.ts';
import { SESSION_COLUMNS } from './statements.ts';

/** A query and its values. Only constants of this file become SQL; all values of the caller are bound. */
export interface Listing {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** A condition and its values. If a value is undefined, the condition is left out. */
type Condition = readonly [sql: string, ...values: (SQLInputValue | undefined)[]];

/** A part of the rows that one index holds in the order of the listing. Null for a part that is usually empty. */
interface Branch {
  readonly index: string | null;
  readonly where: string;
}

interface Query {
  readonly table: 'sessions' | 'gates';
  readonly columns: string;
  readonly order: string;
  readonly limit: number;
  /** The conditions of every branch. */
  readonly conditions: readonly Condition[];
}

/**
 * Merges the first rows of every branch. A branch reads as many rows as the limit asks for, so the cost of a listing does
 * not depend on the number of rows in the table.
 */
function merge({ table, columns, order, limit, conditions }: Query, branches: readonly Branch[]): Listing {
  const used = conditions.filter(([, ...values]) => values.every((value) => value !== undefined));
  const also = used.map(([sql]) => ` and ${sql}`).join('');
  const bound = [...used.flatMap(([, ...values]) => values as SQLInputValue[]), limit];
  const parts = branches.map(
    ({ index, where }) =>
      `select * from (select ${columns} from ${table}${index === null ? '' : ` indexed by ${index}`} where ${where}${also} order by ${order} limit ?)`,
  );
  if (parts.length === 0) return { sql: `select ${columns} from ${table} where false`, values: [] };
  const sql = parts.length === 1 ? (parts[0] ?? '') : `${parts.join(' union all ')} order by ${order} limit ?`;
  return { sql, values: [...branches.flatMap(() => bound), ...(parts.length === 1 ? [] : [limit])] };
}

function readRows<Row>(db: DatabaseSync, { sql, values }: Listing): readonly Row[] {
  return allRows<Row>(prepared(db, sql), values);
}

/** The statements that are kept per connection. There is one for each combination of filters that is in use. */
const KEPT_MAX = 100;
const KEPT = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Prepares the query of a listing once, because preparing one of many branches takes longer than running it. */
function prepared(db: DatabaseSync, sql: string): StatementSync {
  const kept = KEPT.get(db) ?? new Map<string, StatementSync>();
  KEPT.set(db, kept);
  const statement = kept.get(sql) ?? db.prepare(sql);
  kept.set(sql, statement);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
  return statement;
}

export const querySessions = (db: DatabaseSync, filter: SessionFilter): readonly SessionRow[] =>
  readRows(db, sessionListing(filter));

export const queryGates = (db: DatabaseSync, filter: GateFilter): readonly GateRow[] =>
  readRows(db, gateListing(filter));

const literals = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

export function sessionListing(filter: SessionFilter): Listing {
  const { session, tenant, agent, mode, statuses, wakeBy, seenBefore, order = 'newest', after } = filter;
  const [direction, comparison] = order === 'newest' ? (['desc', '<'] as const) : (['asc', '>'] as const);
  // The time of a damaged row was rounded when it was read, so its page continues after the stored one.
  const isExact = after === undefined || Number.isSafeInteger(after.updated_at);
  const time = isExact ? '?' : '(select updated_at from sessions where session_id = ?)';
  const since = isExact ? after?.updated_at : after.session_id;
  const conditions: readonly Condition[] = [
    ['session_id = ?', session],
    ['tenant_id = ?', tenant],
    ['agent = ?', agent],
    [`${LISTED_MODE} = ?`, mode],
    ['wake_at <= ?', wakeBy],
    ['last_seen < ?', seenBefore],
    [`updated_at ${comparison}= ${time}`, since],
    // Rows with the same time are ordered by id, in both directions.
    [`(updated_at ${comparison} ${time} or session_id > ?)`, since, after?.session_id],
  ];
  const wanted = SESSION_STATUSES.filter((status) => statuses === undefined || statuses.includes(status));
  const query = { table: 'sessions', columns: SESSION_COLUMNS, conditions } as const;
  const page = { order: `updated_at ${direction}, session_id`, limit: filter.limit ?? LIST_LIMIT };
  return merge({ ...query, ...page }, sessionBranches(filter, wanted));
}

/**
 * One branch per mode and status. Sessions in progress are in no index by time, because each of their steps would write to
 * it; they have an index of their own and are sorted.
 */
function sessionBranches(filter: SessionFilter, statuses: readonly string[]): readonly Branch[] {
  const { session, tenant, agent, mode, wakeBy } = filter;
  if (statuses.length === 0) return [];
  const where = `status in (${literals(statuses)})`;
  // A caller that names a session and no status finds it with any, also with one that is none.
  if (session !== undefined)
    return [{ index: 'sqlite_autoindex_sessions_1', where: filter.statuses === undefined ? 'true' : where }];
  if (wakeBy !== undefined) return [{ index: 'sessions_due', where }];
  const index =
    tenant !== undefined ? 'sessions_by_tenant' : agent !== undefined ? 'sessions_by_agent' : 'sessions_by_mode';
  const modes = mode === undefined ? [...RUN_MODES.map((each) => `= '${each}'`), 'is null'] : [`= '${mode}'`];
  return statuses.flatMap((status) =>
    status === IN_PROGRESS
      ? [{ index: 'sessions_in_progress', where: `status = '${IN_PROGRESS}'` }, STRAYS]
      : modes.map((each) => ({
          index,
          where: `status <> '${IN_PROGRESS}' and status = '${status}' and ${LISTED_MODE} ${each}`,
        })),
  );
}

const IN_PROGRESS = 'in_progress';

/** SQL rows of pairs of neighbours in the order of the index. No status lies between them. */
const GAPS = ['', ...SESSION_STATUSES.filter((status) => status !== IN_PROGRESS).toSorted(), '\u{10ffff}']
  .map((status, place, all) => `('${status}', '${all[place + 1] ?? ''}')`)
  .slice(0, -1)
  .join(', ');

/**
 * The sessions with a status that is none, found between the statuses of an index. They are listed with those in progress,
 * so that a process looks at them.
 */
const STRAYS: Branch = {
  index: null,
  where: `sid in (
    with gaps (low, high) as (values ${GAPS}), modes (mode) as (values ${[...RUN_MODES.map((mode) => `('${mode}')`), '(null)'].join(', ')})
    select s.sid from modes cross join gaps cross join sessions s indexed by sessions_by_mode
    where iif(s.last_row = 0, null, s.mode) is modes.mode and s.status <> '${IN_PROGRESS}'
      and s.status > gaps.low and s.status < gaps.high)`,
};

export function gateListing(filter: GateFilter): Listing {
  const { gate, name, action, tenant, session, packet, statuses, order = 'oldest' } = filter;
  const conditions: readonly Condition[] = [
    ['gate_id = ?', gate],
    ['name = ?', name],
    ['action = ?', action],
    ['tenant_id = ?', tenant],
    ['session_id = ?', session],
    ['packet_hash = ?', packet],
  ];
  const wanted = GATE_STATUSES.filter((status) => statuses === undefined || statuses.includes(status));
  const query = { table: 'gates', columns: GATE_COLUMNS, conditions } as const;
  const page = {
    order: `opened_at ${order === 'newest' ? 'desc' : 'asc'}, gate_id`,
    limit: filter.limit ?? LIST_LIMIT,
  };
  return merge({ ...query, ...page }, gateBranches(filter, wanted));
}

const GATE_COLUMNS = 'gate_id, session_id, tenant_id, name, kind, action, status, packet_hash, opened_at, expires_at';

function gateBranches(filter: GateFilter, statuses: readonly string[]): readonly Branch[] {
  const { gate, name, action, tenant, session, packet } = filter;
  if (statuses.length === 0) return [];
  const where = `status in (${literals(statuses)})`;
  if (gate !== undefined) return [{ index: 'sqlite_autoindex_gates_1', where }];
  if (session !== undefined) return [{ index: 'gates_by_session', where }];
  if (packet !== undefined) return [{ index: 'gates_by_packet', where }];
  const isAbout = tenant !== undefined && name !== undefined && action !== undefined;
  const index = isAbout ? 'gates_by_action' : tenant !== undefined ? 'gates_by_tenant' : 'gates_by_status';
  return statuses.map((status) => ({ index, where: `status = '${status}'` }));
}

/** The threads of a page, the last changed first. Reads their sessions and no others. */
export function queryThreads(db: DatabaseSync, filter: ThreadFilter): readonly ThreadRow[] {
  const { tenant = null, thread = null, limit = LIST_LIMIT } = filter;
  const rows = tenant !== null && thread !== null ? [{ tenant_id: tenant, thread }] : newestThreads(db, filter, limit);
  const summary = prepared(db, THREAD);
  return rows
    .flatMap((row) => firstRow<ThreadRow>(summary, [row.tenant_id, row.thread]) ?? [])
    .filter((row) => isListed(row, filter))
    .toSorted((a, b) => b.updated_at - a.updated_at || byBytes(a.tenant_id, b.tenant_id) || byBytes(a.thread, b.thread))
    .slice(0, limit);
}

/** The order of texts in SQLite: by their bytes in UTF-8. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const isListed = ({ thread_user, agent }: ThreadRow, filter: ThreadFilter): boolean =>
  (filter.user === undefined || thread_user === filter.user) && (filter.agent === undefined || agent === filter.agent);

type ThreadKey = Pick<ThreadRow, 'tenant_id' | 'thread'>;

/** The threads of the sessions that changed last, at least as many as the page has if there are so many. */
function newestThreads(db: DatabaseSync, filter: ThreadFilter, limit: number): readonly ThreadKey[] {
  const { tenant, thread, user, agent } = filter;
  const conditions: readonly Condition[] = [
    ['tenant_id = ?', tenant],
    ['thread = ?', thread],
    ['thread_user = ?', user],
    ['agent = ?', agent],
  ];
  const used = conditions.filter(([, value]) => value !== undefined);
  const also = used.map(([sql]) => ` and ${sql}`).join('');
  const values = used.map(([, value]) => value as SQLInputValue);
  const rowsIn = (index: string, where: string, order: string): Iterable<Record<string, unknown>> => {
    const sql = `select tenant_id, thread, updated_at from sessions indexed by ${index} where ${where}${also}${order}`;
    const statement = db.prepare(sql);
    // The time is only compared, and a damaged one must not hide the other threads.
    statement.setReadBigInts(true);
    return statement.iterate(...values);
  };
  const found = new Map<string, ThreadKey>();
  const add = (row: Record<string, unknown>): void => {
    const key = { tenant_id: String(row['tenant_id']), thread: String(row['thread']) };
    found.set(JSON.stringify([key.tenant_id, key.thread]), key);
  };
  if (thread !== undefined) {
    for (const row of rowsIn('sessions_by_thread', 'thread is not null', '')) add(row);
    return [...found.values()];
  }
  const byTenant =
    tenant === undefined ? 'threads_by_time' : user === undefined ? 'threads_by_tenant' : 'threads_by_user';
  let last: unknown = null;
  for (const row of rowsIn(
    byTenant,
    `thread is not null and status <> '${IN_PROGRESS}'`,
    ' order by updated_at desc',
  )) {
    // Threads that changed at the same time are ordered by their names, so all of them are needed.
    if (found.size >= limit && row['updated_at'] !== last) break;
    add(row);
    last = row['updated_at'];
  }
  for (const row of rowsIn('sessions_in_progress', `thread is not null and status = '${IN_PROGRESS}'`, '')) add(row);
  return [...found.values()];
}

const THREAD = `
select thread, tenant_id, min(thread_user) as thread_user, min(agent) as agent, count(*) as sessions,
  min(started_at) as started_at, max(updated_at) as updated_at
from sessions indexed by sessions_by_thread where tenant_id = ? and thread = ? group by tenant_id, thread`;
