import type { PlanVerdict } from '../../model/critic/verdict.ts';
import type { FaultCode } from '../../model/fault/fault.ts';
import type { Problem } from '../../model/json/problem.ts';

interface Ruling {
  readonly fixable: boolean;
  readonly because: string;
}

const REWRITE: Ruling = { fixable: true, because: 'the planner wrote it wrong and can write it right' };
const CHOOSE: Ruling = { fixable: true, because: 'the planner can choose something else that exists and is permitted' };
const ORDER: Ruling = { fixable: true, because: 'the planner can put the steps in another order or add one' };

/** Whether another plan can fix a problem, by code. A code without an entry is not fixable. */
const RULINGS: Readonly<Partial<Record<FaultCode, Ruling>>> = {
  plan_untyped: REWRITE,
  plan_too_large: REWRITE,
  input_invalid: REWRITE,
  json_too_deep: REWRITE,
  json_too_large: REWRITE,
  duplicate_step_id: REWRITE,
  argument_invalid: REWRITE,
  argument_not_allowed: CHOOSE,
  approval_mode_mismatch: REWRITE,
  approval_missing: REWRITE,
  binding_unresolved: REWRITE,
  binding_type_mismatch: REWRITE,
  output_invalid: REWRITE,
  output_unsupported: REWRITE,
  invalid_context_key: REWRITE,
  subtask_criteria_missing: REWRITE,
  depth_exceeded: REWRITE,
  hallucinated_capability: CHOOSE,
  tool_not_allowed: CHOOSE,
  tool_inactive: CHOOSE,
  tool_drifted: CHOOSE,
  tool_overreach: CHOOSE,
  decision_unknown: CHOOSE,
  grounding_violation: { fixable: true, because: 'what was assumed can be looked up, computed or executed instead' },
  contaminated_support: { fixable: true, because: 'what is stale or unverified can be looked up anew' },
  unknown_dependency: ORDER,
  dependency_cycle: ORDER,
  unknown_checkpoint_step: ORDER,
  decision_unbound: ORDER,
  evidence_missing: ORDER,
  condition_unanswered: { fixable: true, because: 'a step before it can look the answer up' },
  approval_authority_exceeded: {
    fixable: false,
    because: 'no plan gives a run more authority, and asking again invites a way around the one who has it',
  },
  policy_conflict: {
    fixable: false,
    because: 'what a policy forbids is for people to settle, not for another attempt',
  },
  permission_denied: {
    fixable: false,
    because: 'what the policies forbid is not looked for by another way: a person settles it, or nobody does',
  },
  condition_not_met: {
    fixable: false,
    because: 'no plan changes what a trusted tool has answered, and no approval overrides it',
  },
  budget_projection_exceeded: {
    fixable: false,
    because:
      'a goal that does not fit its budget is for its owner to cut down or to fund, and planning again costs too',
  },
};

/** The verdict on a plan. Without re-plans left, fixable problems lead to `reject` too. */
export function verdictOn(
  problems: readonly Problem[],
  replansLeft: number,
  isGrave: (problem: Problem) => boolean = () => false,
): PlanVerdict {
  if (problems.length === 0) return 'ok';
  const fixable = problems.every(({ code }) => rulingOn(code)?.fixable === true) && !problems.some(isGrave);
  return fixable && replansLeft > 0 ? 'replan' : 'reject';
}

/** Whether and why another plan can fix this problem; null for a code that verification never reports. */
export function rulingOn(code: FaultCode): Ruling | null {
  return RULINGS[code] ?? null;
}
