import type { Stop } from '../model/stop.ts';

/** What a run has left for mending a plan that went wrong. */
export interface RepairRoom {
  /** Repairs in a row that are still allowed. */
  readonly repairs: number;
  /** Retries that the run as a whole may still make. */
  readonly retries: number;
  /** The budget dimension that has nothing left, if any. */
  readonly exhausted: string | null;
}

/** Why the run may not go back to planning, or null if it may. All three limits have to hold at once. */
export function repairStop(room: RepairRoom): Stop | null {
  if (room.exhausted !== null) {
    return { code: 'BUDGET_EXHAUSTED', reason: 'budget_exhausted', detail: { dimension: room.exhausted } };
  }
  if (!(room.retries > 0)) return { code: 'REPEATED_FAILURE', reason: 'retry_budget_exhausted' };
  if (!(room.repairs > 0)) return { code: 'REPEATED_FAILURE', reason: 'repair_bound' };
  return null;
}
