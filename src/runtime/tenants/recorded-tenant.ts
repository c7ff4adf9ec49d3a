import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Journal } from '../../ports/journal/journal.ts';

/**
 * Whether the own record of a run names this tenant. A row is a copy of the record, and one UPDATE hands it to another
 * tenant. Of a pruned run only the row is left.
 */
export async function isRecordedOf(journal: Pick<Journal, 'first'>, tenant: string, runId: string): Promise<boolean> {
  try {
    const first = await journal.first(runId);
    const goal = first === null ? undefined : frameEvents(first).find((event) => event.type === 'goal_received');
    return goal?.tenant_id === tenant;
  } catch (error) {
    if (Fault.is(error) && error.code === 'session_pruned') return true;
    throw error;
  }
}

/** The rows whose runs name this tenant. A run that cannot be read is left out, because nothing shows whose it is. */
export async function recordedOf<Row>(
  journal: Pick<Journal, 'first'>,
  tenant: string,
  rows: readonly Row[],
  runOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const kept: Row[] = [];
  for (const row of rows) {
    const isOwn = await isRecordedOf(journal, tenant, runOf(row)).catch((error: unknown) => {
      if (Fault.is(error) && error.code !== 'store_unavailable') return false;
      throw error;
    });
    if (isOwn) kept.push(row);
  }
  return kept;
}
