import type { GuardDeclaration } from '../../model/plan/graph.ts';

/**
 * All guards of the shipped graphs and their meaning. Each is a pure predicate over recorded state; none asks a model.
 * A changed meaning needs a new version.
 */
export const GUARD_NAMES = {
  'request_valid@1': 'The request was parsed and is within platform policy.',
  'intent_confident@1': 'The classification is at least as confident as the threshold asks.',
  'intent_unclear@1': 'The classification is below the threshold, so a question is due.',
  'token_valid@1': 'Identity and scope are resolved and the token holds.',
  'manifest_stored@1': 'The run manifest, budget, boundary and trace envelope exist.',
  'plan_proposed@1': 'A planner has proposed a plan.',
  'plan_from_host@1': 'Host code wrote the proposed plan; no model had a part in it.',
  'structured_output@1': 'The proposal fits its schema field by field; prose never does.',
  'plan_ok@1': 'The Critic verified the plan: every step is legal and within budget.',
  'answer_permitted@1': 'The Critic verified that the model may answer by itself, and the plan is that answer.',
  'plan_pending_approval@1': 'The plan is verified and waits for a person to approve it.',
  'plan_approved@1': 'The plan is verified, and a person approved exactly this plan.',
  'step_selected@1': 'The selected step is in the verified plan and all it depends on is committed.',
  'call_cleared@1': 'Tool, permission, arguments, budget and, where one is needed, approval are all in order.',
  'needs_approval@1': 'The selected call may run only after a person approves it.',
  'missing_input@1': 'The selected call lacks an argument that only the user can give.',
  'call_dispatched@1': 'The call went out through the gateway; whatever came of it is to be captured.',
  'observation_stored@1': 'The raw answer, error or timeout is stored as it came.',
  'observation_verified@1': 'The observation passed verification.',
  'verification_failed@1': 'The plan or the observation failed verification, and a repair may be tried.',
  'repair_allowed@1': 'Repair count, retry count and budget are all within their limits.',
  'approval_recorded@1': 'A decision that lets the run go on is recorded.',
  'finish_recorded@1': 'A decision to finish with what is committed is recorded.',
  'answered@1': 'The user answered, and the answer leaves identity, scope and intent as they were.',
  'answer_changes_scope@1': 'The user answered, and identity, scope or intent must be resolved anew.',
  'state_committed@1': 'The verified observation is committed together with its trace link.',
  'incomplete_with_budget@1': 'The goal is not reached, and there is budget to go on.',
  'criteria_met@1': 'Every completion criterion is met by committed state.',
  'response_fixed@1': 'The final response is built from committed state and will not change.',
  'stop_pending@1': 'A condition under which the run must end is recorded.',
  'escalation_pending@1': 'Somebody with more authority has to decide before the run goes on.',
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
