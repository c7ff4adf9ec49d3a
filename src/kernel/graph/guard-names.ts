import type { GuardDeclaration } from '../../model/plan/graph.ts';

/**
 * All guards of the shipped graphs and their meaning. Each is a pure predicate over recorded state; none asks a model.
 * A changed meaning needs a new version.
 */
export const GUARD_NAMES = {
  'request_valid@1': 'The request was parsed and is within platform policy.',
  'intent_confident@1': 'The confidence of the classification reaches the threshold.',
  'intent_unclear@1': 'The confidence of the classification is below the threshold, so the user must be asked.',
  'token_valid@1': 'Identity and scope are resolved, and the token is valid.',
  'manifest_stored@1': 'The run manifest, budget, boundary and trace envelope exist.',
  'plan_proposed@1': 'A planner has proposed a plan.',
  'plan_from_host@1': 'Host code wrote the proposed plan, without a model.',
  'structured_output@1': 'The proposal matches its schema. Plain text never does.',
  'plan_ok@1': 'The Critic verified the plan: every step is legal and within budget.',
  'answer_permitted@1': 'The plan is a direct answer of the model, and the Critic verified that it is allowed.',
  'plan_pending_approval@1': 'The plan is verified and waits for a person to approve it.',
  'plan_approved@1': 'The plan is verified, and a person approved exactly this plan.',
  'step_selected@1': 'The selected step is in the verified plan, and all its dependencies are committed.',
  'call_cleared@1': 'Tool, permission, arguments, budget and any required approval are checked.',
  'needs_approval@1': 'The selected call may run only after a person approves it.',
  'missing_input@1': 'The selected call lacks an argument that only the user can provide.',
  'call_dispatched@1': 'The gateway sent the call, and its result must be recorded.',
  'observation_stored@1': 'The raw answer, error or timeout is stored unchanged.',
  'observation_verified@1': 'The observation passed verification.',
  'verification_failed@1': 'The plan or the observation failed verification, and a repair is possible.',
  'repair_allowed@1': 'Repair count, retry count and budget are all within their limits.',
  'approval_recorded@1': 'A decision that continues the run is recorded.',
  'finish_recorded@1': 'A decision to finish with the committed state is recorded.',
  'answered@1': 'The user answered, and identity, scope and intent stay the same.',
  'answer_changes_scope@1': 'The user answered, and identity, scope or intent must be resolved again.',
  'state_committed@1': 'The verified observation is committed together with its trace link.',
  'incomplete_with_budget@1': 'The goal is not reached, and budget is left.',
  'criteria_met@1': 'Committed state meets every completion criterion.',
  'response_fixed@1': 'The final response is built from committed state and will not change.',
  'stop_pending@1': 'A condition that ends the run is recorded.',
  'escalation_pending@1': 'A person with more authority must decide before the run continues.',
} as const;

export type GuardName = keyof typeof GUARD_NAMES;

/** The two interrupt guards, which may hold at any node. */
export const STOP: GuardName = 'stop_pending@1';
export const ESCALATE: GuardName = 'escalation_pending@1';

const GUARD_PATTERN = /^[a-z][a-z0-9_.]{0,150}@[1-9][0-9]{0,8}$/;

export function isGuardName(text: string): boolean {
  return GUARD_PATTERN.test(text);
}

export function isShipped(guard: string): guard is GuardName {
  return Object.hasOwn(GUARD_NAMES, guard);
}

export function declareShipped(guard: GuardName): GuardDeclaration {
  return { guard, deterministic: true, evaluated_by: 'kernel' };
}
