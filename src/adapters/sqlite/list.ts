import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type GateFilter, LIST_LIMIT, type SessionFilter } from '../../ports/journal.ts';
import type { GateRow, SessionRow } from '../../ports/journal-rows.ts';
import { plain, SESSION_COLUMNS } from './read.ts';

export function listSessions(db: DatabaseSync, filter: SessionFilter): readonly SessionRow[] {
  const { session, tenant, agent, statuses, wakeBy, seenBefore, order = 'newest', after, limit = LIST_LIMIT } = filter;
  const [direction, further] = order === 'newest' ? (['desc', '<'] as const) : (['asc', '>'] as const);
  const conditions: Condition[] = [
    ['session_id = ?', session],
    ['tenant_id = ?', tenant],
    ['agent = ?', agent],
    [`status ${ONE_OF}`, asList(statuses)],
    ['wake_at <= ?', wakeBy],
    ['last_seen < ?', seenBefore],
    [`updated_at ${further}= ?`, after?.updated_at],
    // Those of the same instant stand in the order of their names, whichever way the list goes.
    [`(updated_at ${further} ? or session_id > ?)`, after?.updated_at, after?.session_id],
  ];
  return select(db, 'sessions', conditions, `updated_at ${direction}, session_id`, limit);
}

export function listGates(db: DatabaseSync, filter: GateFilter): readonly GateRow[] {
  const { gate, name, action, tenant, session, packet, statuses, order = 'oldest', limit = LIST_LIMIT } = filter;
  const conditions: Condition[] = [
    ['gate_id = ?', gate],
    ['name = ?', name],
    ['action = ?', action],
    ['tenant_id = ?', tenant],
    ['session_id = ?', session],
    ['packet_hash = ?', packet],
    [`status ${ONE_OF}`, asList(statuses)],
  ];
  const direction = order === 'newest' ? 'desc' : 'asc';
  return select(db, 'gates', conditions, `opened_at ${direction}, gate_id`, limit);
}

const COLUMNS = {
  sessions: SESSION_COLUMNS,
  gates: 'gate_id, session_id, tenant_id, name, kind, action, status, packet_hash, opened_at, expires_at',
} as const;

/** A condition and the values it asks for; without values it is left out. */
type Condition = readonly [sql: string, ...values: (SQLInputValue | undefined)[]];

const ONE_OF = 'in (select value from json_each(?))';

const asList = (values: readonly string[] | undefined): string | undefined =>
  values === undefined ? undefined : JSON.stringify(values);

/** Only constants of this file become SQL; whatever a caller names is bound. */
function select<Row>(
  db: DatabaseSync,
  table: 'sessions' | 'gates',
  conditions: readonly Condition[],
  order: string,
  limit: number,
): readonly Row[] {
  const given = conditions.flatMap(([sql, ...values]) => {
    const named = values.filter((value) => value !== undefined);
    return named.length === 0 ? [] : [{ sql, values: named }];
  });
  const where = given.length === 0 ? '' : `where ${given.map(({ sql }) => sql).join(' and ')}`;
  const statement = db.prepare(`select ${COLUMNS[table]} from ${table} ${where} order by ${order} limit ?`);
  return statement.all(...given.flatMap(({ values }) => values), limit).map((row) => plain<Row>(row));
}
