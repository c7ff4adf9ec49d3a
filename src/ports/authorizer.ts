import type { Goal } from '../model/plan/goal.ts';
import type { PolicyJudge } from '../model/policy/policy-decision.ts';
import type { SecurityToken } from '../model/run/identity.ts';

/**
 * The organisation's rules about single calls and about who may decide a gate. A request is denied unless a rule
 * permits it, and a forbid rule overrides every permit. Synchronous and stateless: under the same version, the same
 * request gets the same ruling, so that an auditor can repeat it. An error counts as a denial.
 */
export interface Authorizer extends PolicyJudge {
  /** Changes with every change of the rules. */
  readonly version: string;
}

/** `rule` names the deciding rule; null if the goal was cleared because no rule forbids it. */
export interface PolicyAnswer {
  readonly cleared: boolean;
  readonly rule: string | null;
}

/** The organisation's rules about goals. Intake checks them before planning. An error counts as not cleared. */
export interface Policy {
  check(goal: Goal, token: SecurityToken): PolicyAnswer;
}
