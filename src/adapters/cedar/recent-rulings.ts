import { hash } from 'node:crypto';
import { deepFreeze } from '../../model/freeze.ts';
import type { Considered, PolicyRuling } from '../../model/policy-decision.ts';

/** Rulings by what was looked at. The same has the same ruling, so remembering one changes nothing but the time. */
export interface RecentRulings {
  get(text: string, rule: () => PolicyRuling): Considered;
}

/** So many are kept at least, and at most twice as many. */
const KEPT_MAX = 500;

/** A longer text is stood for by its hash, so that what is kept is bounded in size, too. */
const SHORT = 4_000;

/** In two halves: what has not been asked about since the newer one was begun goes with the older one. */
export function recentRulings(): RecentRulings {
  let newer = new Map<string, Considered>();
  let older = new Map<string, Considered>();

  const keep = (key: string, considered: Considered): void => {
    newer.set(key, considered);
    if (newer.size < KEPT_MAX) return;
    older = newer;
    newer = new Map();
  };

  return {
    get: (text, rule) => {
      const short = text.length <= SHORT ? text : JSON.stringify(hash('sha256', text, 'hex'));
      const recent = newer.get(short);
      if (recent !== undefined) return recent;
      const considered = older.get(short) ?? deepFreeze({ text: short, ruling: rule() });
      // What went wrong may go right the next time; it is not held against the same question.
      if (considered.ruling.errors.length === 0) keep(short, considered);
      return considered;
    },
  };
}
