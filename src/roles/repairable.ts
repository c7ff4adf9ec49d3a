import type { FaultCode } from '../model/fault.ts';
import type { Problem } from '../model/problem.ts';
import type { CheckedPlan } from '../ports/planner.ts';

/**
 * Mistakes of writing. Whoever reached for what does not exist, or is not theirs, is answered by the kernel, where it
 * is counted and on record; so is a mistake that the Critic would not let pass a second time.
 */
const WRITTEN_WRONG: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'plan_untyped',
  'plan_too_large',
  'input_invalid',
  'json_too_deep',
  'json_too_large',
  'duplicate_step_id',
  'argument_invalid',
  'approval_mode_mismatch',
  'approval_missing',
  'binding_unresolved',
  'binding_type_mismatch',
  'invalid_context_key',
  'unknown_dependency',
  'dependency_cycle',
  'unknown_checkpoint_step',
  'decision_unbound',
  'evidence_missing',
]);

/** What a planner may be told at once, without a new plan being asked for; nothing where it has to go to the kernel. */
export function mayMend({ verdict, problems }: CheckedPlan): readonly Problem[] {
  return verdict === 'replan' && problems.every(({ code }) => WRITTEN_WRONG.has(code)) ? problems : [];
}
