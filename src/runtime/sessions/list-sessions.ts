import { z } from 'zod';
import type { TerminalCode } from '../../model/fault/terminal-code.ts';
import { exactObject } from '../../model/json/exact.ts';
import { Instant, Name } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { RunMode } from '../../model/run/run-request.ts';
import { SessionStatus } from '../../model/run/session-status.ts';
import type { Journal, SessionFilter } from '../../ports/journal/journal.ts';
import type { SessionRow } from '../../ports/journal/rows.ts';
import { copyInput, readUntrusted } from '../../session/read-input.ts';

/** A filter for runs. */
export interface SessionQuery {
  readonly tenant?: string;
  readonly agent?: string;
  readonly statuses?: readonly SessionStatus[];
  /** The requested mode. Pruned runs do not match. */
  readonly mode?: RunMode;
  /** Runs last seen before this time, in milliseconds; their process may have died. */
  readonly seenBefore?: number;
  /** Runs whose next deadline or queued resume is at or before this time, in milliseconds. */
  readonly dueBy?: number;
  readonly order?: 'newest' | 'oldest';
  /** 1,000 by default. */
  readonly limit?: number;
}
const SessionQuery: z.ZodType<SessionQuery> = exactObject({
  tenant: Name.exactOptional(),
  agent: Name.exactOptional(),
  statuses: z.array(SessionStatus).exactOptional(),
  mode: RunMode.exactOptional(),
  seenBefore: Instant.exactOptional(),
  dueBy: Instant.exactOptional(),
  order: z.enum(['newest', 'oldest']).exactOptional(),
  limit: z.int().positive().exactOptional(),
});

/** One row of a list of runs. */
export interface SessionSummary {
  readonly runId: string;
  readonly tenantId: string;
  readonly agent: string;
  readonly intent: string;
  readonly status: SessionStatus;
  readonly terminalCode: TerminalCode | null;
  readonly startedAt: number;
  readonly updatedAt: number;
  /** The time of the last sign of life in the journal. A run writes none while a tool or a model works. */
  readonly lastSeen: number;
}

export async function listSessions(
  journal: Pick<Journal, 'list'>,
  query: SessionQuery = {},
): Promise<readonly SessionSummary[]> {
  const { dueBy, ...rest } = parse(
    SessionQuery,
    readUntrusted(() => copyInput(query)),
    'input_invalid',
  );
  const filter: SessionFilter = dueBy === undefined ? rest : { ...rest, wakeBy: dueBy };
  return (await journal.list(filter)).map(sessionOf);
}

/** A limit above the size of any store. */
export const EVERY = 1_000_000_000;

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
