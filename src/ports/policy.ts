import type { Goal } from '../model/goal.ts';
import type { SecurityToken } from '../model/identity.ts';

/** `rule` names what decided it; null when the goal was cleared because nothing forbids it. */
export interface PolicyAnswer {
  readonly cleared: boolean;
  readonly rule: string | null;
}

/** The organisation's rules as intake asks them, before anything is planned. Throwing counts as not cleared. */
export interface Policy {
  check(goal: Goal, token: SecurityToken): PolicyAnswer;
}
