import { hash } from 'node:crypto';
import { deepFreeze } from '../../model/freeze.ts';
import type { PolicyRuling } from '../../model/policy-decision.ts';

/** Rulings by what was asked. The same question has the same answer, so remembering one changes nothing but the time. */
export interface RecentRulings {
  get(question: string, rule: () => PolicyRuling): PolicyRuling;
}

/** The one that was asked about longest ago goes first. */
const KEPT_MAX = 1000;

/** A longer question is remembered by its hash, so that what is kept is bounded in size, too. */
const SHORT = 4_000;

export function recentRulings(): RecentRulings {
  const kept = new Map<string, PolicyRuling>();
  return {
    get: (question, rule) => {
      const key = question.length <= SHORT ? question : hash('sha256', question, 'base64');
      const ruling = kept.get(key) ?? deepFreeze(rule());
      kept.delete(key);
      // What went wrong may go right the next time; it is not held against the same question.
      if (ruling.errors.length === 0) kept.set(key, ruling);
      const [oldest] = kept.size > KEPT_MAX ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
      return ruling;
    },
  };
}
