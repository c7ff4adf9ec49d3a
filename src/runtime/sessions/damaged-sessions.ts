import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { faultRow } from '../../model/fault/fault-table.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import { EVERY, type SessionQuery, type SessionSummary } from './list-sessions.ts';
import { rowDamage } from './row-damage.ts';

/** A session that cannot be read, and why. Only an operator can repair it, for example from a backup. */
export interface DamagedSession extends Pick<SessionSummary, 'runId' | 'tenantId' | 'agent' | 'status'> {
  readonly code: FaultCode;
  readonly message: string;
}

/** Returns why a session cannot be read, or null if it can. */
type ReadDamage = (runId: string) => Promise<Fault | null>;

/**
 * Reads the run of an agent of this runtime as a resume would read it, and of any other agent only the frames. Then
 * compares its row with its frames.
 */
export function damageReader(
  journal: Pick<Journal, 'list' | 'load'>,
  get: (runId: string) => Promise<unknown>,
  agents: ReadonlySet<string>,
): ReadDamage {
  return async (runId) => {
    try {
      const [row] = await journal.list({ session: runId, limit: 1 });
      if (row === undefined) return null;
      if (agents.has(row.agent)) await get(runId);
      const damage = rowDamage(row, await journal.load(runId));
      return damage === null ? null : new Fault('store_corrupt', `session ${runId}: ${damage}`);
    } catch (error) {
      if (!Fault.is(error)) return new Fault('store_corrupt', `${runId}: ${String(error)}`, { cause: error });
      // A store that is locked says nothing about the session, and a pruned session has no frames to read.
      return faultRow(error.code).retryable || error.code === 'session_pruned' ? null : error;
    }
  };
}

const OPEN: readonly SessionStatus[] = ['in_progress', 'awaiting_gate', 'paused'];

export async function damagedSessions(
  list: (query: SessionQuery) => Promise<readonly SessionSummary[]>,
  readDamage: ReadDamage,
  query: SessionQuery = {},
): Promise<readonly DamagedSession[]> {
  const found: DamagedSession[] = [];
  for (const { runId, tenantId, agent, status } of await list({ statuses: OPEN, limit: EVERY, ...query })) {
    const damage = await readDamage(runId);
    if (damage !== null) found.push({ runId, tenantId, agent, status, code: damage.code, message: damage.message });
  }
  return found;
}
