import { NO_DOUBTS } from '../doubt.ts';
import type { Doubt } from '../doubt-state.ts';
import type { Work } from '../state.ts';
import { vecEmpty, vecPush, vecToArray } from '../vec.ts';

/**
 * What was done before a fork, as the fork has to know it. The parent takes its effects back by itself, or lets them
 * stand: whoever took them back from here as well would do it twice. A call of the parent's that is in doubt is not sent
 * again under its key, because what has become of it stands in the parent's ledger.
 */
export function workOfParent(work: Work): Work {
  let effects: Work['effects'] = vecEmpty;
  for (const made of vecToArray(work.effects)) effects = vecPush(effects, { ...made, ofParent: true });
  return { ...work, effects, doubts: foreign(work.doubts) };
}

/** Whoever has let the parent make such a call once more has let the parent: for the fork that is asked anew. */
function foreign(doubts: Work['doubts']): Work['doubts'] {
  if (doubts === NO_DOUBTS) return doubts;
  const mark = (doubt: Doubt): Doubt => ({ ...doubt, decided: false, foreign: true });
  return Object.fromEntries(Object.entries(doubts).map(([call, doubt]) => [call, mark(doubt)]));
}
