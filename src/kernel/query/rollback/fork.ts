import type { Stop } from '../../../model/fault/stop.ts';
import type { Doubt, MadeEffect } from '../../state/call-state.ts';
import type { Work } from '../../state/run-state.ts';
import { vecOf, vecToArray } from '../../state/vec.ts';
import { NO_DOUBTS } from '../call/doubt.ts';

/**
 * The work of the parent as seen by a fork. The parent compensates its own effects or leaves them, so the fork must
 * not. A call of the parent in doubt is not sent again under its key, because the parent's ledger has its outcome.
 */
export function workOfParent(work: Work): Work {
  const effects = vecToArray(work.effects).map((made): MadeEffect => ({ ...made, ofParent: true }));
  return { ...work, effects: vecOf(effects), doubts: markForeign(work.doubts) };
}

/** An approval to repeat a call was given to the parent. The fork needs its own. */
function markForeign(doubts: Work['doubts']): Work['doubts'] {
  if (doubts === NO_DOUBTS) return doubts;
  const toForeign = (doubt: Doubt): Doubt => ({ ...doubt, decided: false, foreign: true });
  return Object.fromEntries(Object.entries(doubts).map(([call, doubt]) => [call, toForeign(doubt)]));
}

/**
 * Marks a stop as a confirmed compromise of credentials, with the rule or person that confirmed it. Credentials are
 * revoked only after such a stop.
 */
export function markCompromised(stop: Stop, by: string): Stop {
  return { ...stop, detail: { ...stop.detail, compromise_confirmed_by: by } };
}

/** The rule or person that confirmed the compromise; null if it is only suspected. */
export function confirmedBy({ code, detail = {} }: Stop): string | null {
  const by = detail['compromise_confirmed_by'];
  return code === 'UNSAFE_DETECTION' && typeof by === 'string' ? by : null;
}
