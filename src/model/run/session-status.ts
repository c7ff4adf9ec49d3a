import { z } from 'zod';

export const SESSION_STATUSES = [
  'in_progress',
  'awaiting_gate',
  'paused',
  'completed',
  'failed',
  'expired',
  'rejected',
  'cancelled',
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];
export const SessionStatus: z.ZodType<SessionStatus> = z.enum(SESSION_STATUSES);

export const PAUSE_CAUSES = ['operator', 'heartbeat_lost', 'escalated'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];
export const PauseCause: z.ZodType<PauseCause> = z.enum(PAUSE_CAUSES);

export function isHeld(status: SessionStatus): boolean {
  return status === 'paused' || status === 'awaiting_gate';
}
