import { Fault } from '../model/fault/fault.ts';
import type { PolicyEngine } from '../model/policy/policy-decision.ts';
import type { Authorizer } from '../ports/authorizer.ts';

/** Rules for plans, rules for single calls, and candidate rules that are only evaluated. */
export interface PolicyParts {
  readonly plans: PolicyEngine;
  readonly calls?: Authorizer;
  readonly candidate?: Authorizer;
}

/** Combines the rules into one engine with one version, so that a run pins every rule that may refuse it. */
export function policyEngine({ plans, calls, candidate }: PolicyParts): PolicyEngine {
  if (calls === undefined) {
    if (candidate === undefined) return plans;
    const message = 'world.policy.candidate is compared with world.policy.calls, which is missing: set calls too';
    throw new Fault('input_invalid', message, { path: '/world/policy/candidate' });
  }
  return {
    version: `${plans.version}/${calls.version}`,
    invariants: (plan) => plans.invariants(plan),
    calls,
    ...(candidate === undefined ? {} : { candidate }),
  };
}
