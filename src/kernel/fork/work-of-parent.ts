import { NO_DOUBTS } from '../doubt.ts';
import type { Doubt } from '../doubt-state.ts';
import type { MadeEffect } from '../rollback/rollback.ts';
import type { Work } from '../state.ts';
import { vecOf, vecToArray } from '../vec.ts';

/**
 * What was done before a fork, as the fork has to know it. The parent takes its effects back by itself, or lets them
 * stand: whoever took them back from here as well would do it twice. A call of the parent's that is in doubt is not sent
 * again under its key, because what has become of it stands in the parent's ledger.
 */
export function workOfParent(work: Work): Work {
  const effects = vecToArray(work.effects).map((made): MadeEffect => ({ ...made, ofParent: true }));
  return { ...work, effects: vecOf(effects), doubts: foreign(work.doubts) };
}

/** Whoever has let the parent make such a call once more has let the parent: for the fork that is asked anew. */
function foreign(doubts: Work['doubts']): Work['doubts'] {
  if (doubts === NO_DOUBTS) return doubts;
  const mark = (doubt: Doubt): Doubt => ({ ...doubt, decided: false, foreign: true });
  return Object.fromEntries(Object.entries(doubts).map(([call, doubt]) => [call, mark(doubt)]));
}
