import type { PolicyJudge } from '../model/policy-decision.ts';

/**
 * The organisation's rules about single calls and about who may decide a gate. Nothing is permitted that no rule
 * permits, and what one rule forbids no other can permit. Synchronous and without a memory: the same request gets the
 * same ruling under the same version, so that an auditor can ask again. Throwing counts as forbidding.
 */
export interface Authorizer extends PolicyJudge {
  /** Changes with every change of what it would rule. */
  readonly version: string;
}
