import { Fault } from '../../model/fault.ts';
import type { StoredSession } from './known-sessions.ts';

/** Rows count from 1: a session whose newest frame is in row 0 has none left. */
export const PRUNED_ROW = 0;

export const isPruned = ({ last_row }: Pick<StoredSession, 'last_row'>): boolean => last_row === PRUNED_ROW;

export function sessionPruned({ session_id, seq, head_hash, terminal_code }: StoredSession): Fault {
  const left = `it ended ${terminal_code} after ${seq} frames, the last of them ${head_hash}`;
  return new Fault('session_pruned', `session ${session_id} was kept as long as its tenant asked for; ${left}`);
}
