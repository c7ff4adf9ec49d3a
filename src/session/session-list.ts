import { z } from 'zod';
import { Instant, Name } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { SessionStatus } from '../model/session-status.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { SessionFilter } from '../ports/journal.ts';
import type { SessionRow } from '../ports/journal-rows.ts';
import { given, plainly } from './given.ts';

/** Which runs are listed. */
export interface SessionQuery {
  readonly tenant?: string;
  readonly statuses?: readonly SessionStatus[];
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
  statuses: z.array(SessionStatus).exactOptional(),
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

export function sessionFilter(query: SessionQuery = {}): SessionFilter {
  const { dueBy, ...rest } = parse(
    SessionQuery,
    plainly(() => given(query)),
    'input_invalid',
  );
  return dueBy === undefined ? rest : { ...rest, wakeBy: dueBy };
}

export function sessionOf(row: SessionRow): SessionSummary {
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
