import { type ApprovalMode, compareModes } from '../../model/approval-mode.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { ToolSpec } from '../../model/tool.ts';

/** The stricter of what the step declares and what the registry says of its tool. */
export function effectiveMode(
  step: Pick<PlanStep, 'approval_mode'>,
  spec: Pick<ToolSpec, 'approval_mode'>,
): ApprovalMode {
  const declared = step.approval_mode;
  return declared !== undefined && compareModes(declared, spec.approval_mode) > 0 ? declared : spec.approval_mode;
}
