import type { PolicyEngine } from '../../kernel/verify/verify-context.ts';
import { Fault } from '../../model/fault.ts';
import type { Authorizer } from '../../ports/authorizer.ts';

/** Rules about whole plans, about single calls, and some that are only tried out. */
export interface PolicyParts {
  readonly plans: PolicyEngine;
  readonly calls?: Authorizer;
  readonly candidate?: Authorizer;
}

/** One engine under one version, so that a run is pinned to everything that may say no to it. */
export function policyEngine({ plans, calls, candidate }: PolicyParts): PolicyEngine {
  if (calls === undefined) {
    if (candidate === undefined) return plans;
    const message = 'a candidate is tried out beside the policies in force: give calls, too';
    throw new Fault('input_invalid', message, { path: '/world/policy/candidate' });
  }
  return {
    version: `${plans.version}/${calls.version}`,
    invariants: (plan) => plans.invariants(plan),
    calls,
    ...(candidate === undefined ? {} : { candidate }),
  };
}
