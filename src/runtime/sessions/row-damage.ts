import type { RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { SessionRow } from '../../ports/journal/rows.ts';
import { sessionRowDamage } from '../../ports/journal/valid-rows.ts';
import { initializedIn } from '../../session/recorded-env.ts';

/**
 * Why the row of a run does not fit its frames; null if it fits, or if the run has moved on since the row was read. The
 * row is a copy, and one UPDATE keeps a run from being driven or from being found.
 */
export function rowDamage(row: SessionRow, frames: readonly Frame[]): string | null {
  const broken = sessionRowDamage(row);
  if (broken !== null) return broken;
  if (frames.at(-1)?.hash !== row.head_hash) return null;
  const events = frames.flatMap(frameEvents);
  const goal = events.find((event) => event.type === 'goal_received');
  if (goal?.tenant_id !== row.tenant_id) return 'its row names another tenant than its record';
  const agent = initializedIn(events)?.manifest.agent ?? row.agent;
  if (agent !== row.agent) return 'its row names another agent than its record';
  return endDamage(row, events);
}

function endDamage({ status, terminal_code }: SessionRow, events: readonly RunEvent[]): string | null {
  const end = events.findLast((event) => event.type === 'run_terminated');
  if (terminal_code !== (end?.code ?? null)) return 'its row names another end than its record';
  const fits = end === undefined ? OPEN.has(status) : status === end.status;
  return fits ? null : `its row has the status ${status}, which is not the one of its record`;
}

const OPEN: ReadonlySet<string> = new Set<SessionRow['status']>(['in_progress', 'awaiting_gate', 'paused']);
