import { z } from 'zod';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { Instant, Name } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { RunMode } from '../model/run-request.ts';
import { SessionStatus } from '../model/session-status.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import { type Journal, LIST_LIMIT, type SessionFilter } from '../ports/journal.ts';
import type { SessionRow } from '../ports/journal-rows.ts';
import { given, plainly } from './given.ts';

/** Which runs are listed. */
export interface SessionQuery {
  readonly tenant?: string;
  readonly agent?: string;
  readonly statuses?: readonly SessionStatus[];
  /** Asked for in this mode. It stands in the first frame of each run, which is read; pruned runs have none. */
  readonly mode?: RunMode;
  /** Last heard of before this instant, in milliseconds: nobody may be driving them any more. */
  readonly seenBefore?: number;
  /** Whose next deadline, or queued resume, is at or before this instant, in milliseconds. */
  readonly dueBy?: number;
  readonly order?: 'newest' | 'oldest';
  /** A thousand, unless it is said. */
  readonly limit?: number;
}
const SessionQuery: z.ZodType<SessionQuery> = z.strictObject({
  tenant: Name.exactOptional(),
  agent: Name.exactOptional(),
  statuses: z.array(SessionStatus).exactOptional(),
  mode: RunMode.exactOptional(),
  seenBefore: Instant.exactOptional(),
  dueBy: Instant.exactOptional(),
  order: z.enum(['newest', 'oldest']).exactOptional(),
  limit: z.int().positive().exactOptional(),
});

/** A run as a list shows it. */
export interface SessionSummary {
  readonly runId: string;
  readonly tenantId: string;
  readonly agent: string;
  readonly intent: string;
  readonly status: SessionStatus;
  readonly terminalCode: TerminalCode | null;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The last sign of life in the journal. A run is silent while a tool or a model works. */
  readonly lastSeen: number;
}

export async function listSessions(
  journal: Pick<Journal, 'list' | 'first'>,
  query: SessionQuery = {},
): Promise<readonly SessionSummary[]> {
  const { dueBy, mode, ...rest } = parse(
    SessionQuery,
    plainly(() => given(query)),
    'input_invalid',
  );
  const filter: SessionFilter = dueBy === undefined ? rest : { ...rest, wakeBy: dueBy };
  const rows = mode === undefined ? await journal.list(filter) : await inMode(journal, filter, mode);
  return rows.map(sessionOf);
}

/** More than any store holds. */
export const EVERY = 1_000_000_000;

/** No row says in which mode its run was asked for, so runs are looked at one after the other until there are enough. */
async function inMode(
  journal: Pick<Journal, 'list' | 'first'>,
  { limit = LIST_LIMIT, ...filter }: SessionFilter,
  mode: RunMode,
): Promise<readonly SessionRow[]> {
  const found: SessionRow[] = [];
  for (const row of await journal.list({ ...filter, limit: EVERY })) {
    if (found.length === limit) break;
    if ((await modeOf(journal, row.session_id)) === mode) found.push(row);
  }
  return found;
}

/** Null where nobody can tell any more: a list leaves such a run out, and shows the others. */
async function modeOf(journal: Pick<Journal, 'first'>, session: string): Promise<RunMode | null> {
  try {
    const events = JSON.parse((await journal.first(session))?.events ?? '[]') as readonly RunEvent[];
    const received = events.find((event) => event.type === 'goal_received');
    if (received === undefined) return null;
    return received.heartbeat_ms === null ? 'standard' : 'long_running';
  } catch (error) {
    if (Fault.is(error) && error.code !== 'store_unavailable') return null;
    throw error;
  }
}

function sessionOf(row: SessionRow): SessionSummary {
  return {
    runId: row.session_id,
    tenantId: row.tenant_id,
    agent: row.agent,
    intent: row.intent,
    status: row.status,
    terminalCode: row.terminal_code,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    lastSeen: row.last_seen,
  };
}
