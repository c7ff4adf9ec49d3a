import type { Stop } from '../../model/stop.ts';

/**
 * Marks a stop as one in which it is certain that credentials are in the wrong hands, and on whose word: a rule's or a
 * person's. Nothing less makes a run have its credentials revoked.
 */
export function compromised(stop: Stop, by: string): Stop {
  return { ...stop, detail: { ...stop.detail, compromise_confirmed_by: by } };
}

/** On whose word; null where it is only suspected. */
export function confirmedBy({ code, detail = {} }: Stop): string | null {
  const by = detail['compromise_confirmed_by'];
  return code === 'UNSAFE_DETECTION' && typeof by === 'string' ? by : null;
}
