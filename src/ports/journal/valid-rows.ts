import { TERMINAL_CODES } from '../../model/fault/terminal-code.ts';
import { SESSION_STATUSES } from '../../model/run/session-status.ts';
import type { GateRow, SessionRow } from './rows.ts';
import type { Driver } from './scheduler.ts';

/** Why no append can have written this row of a session; null if one can. */
export function sessionRowDamage(row: SessionRow): string | null {
  const { status, terminal_code, wake_at, seq, started_at, updated_at, last_seen } = row;
  if (!SESSION_STATUSES.includes(status)) return `its status "${status}" is none`;
  if (terminal_code !== null && !TERMINAL_CODES.includes(terminal_code))
    return `its terminal code "${terminal_code}" is none`;
  const numbers = { seq, started_at, updated_at, last_seen, wake_at: wake_at ?? 0 };
  return numberDamage(numbers);
}

/** Why no append can have written this row of a gate; null if one can. */
export const gateRowDamage = ({ opened_at, expires_at }: GateRow): string | null =>
  numberDamage({ opened_at, expires_at });

/** Whether a process can have announced itself with this row. A row that none has written drives nothing. */
export const isValidDriver = ({ pid, since, until }: Driver): boolean =>
  numberDamage({ pid, since, until }) === null && until <= DATE_MAX;

/** The last instant that a date can hold. */
const DATE_MAX = 8.64e15;

function numberDamage(numbers: Readonly<Record<string, number>>): string | null {
  const wrong = Object.entries(numbers).find(([, value]) => !Number.isSafeInteger(value));
  return wrong === undefined ? null : `its ${wrong[0]} is outside the range of safe integers`;
}
