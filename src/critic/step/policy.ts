import type { StepCase } from '../../model/critic/judged-case.ts';
import { type ApprovalMode, compareModes, runsInline } from '../../model/gate/approval-mode.ts';
import { type Assessment, type Evaluator, FULL, short } from '../evaluators/evaluator.ts';

/**
 * Checks that the step was permitted: score 1 or 0. It uses the recorded policy decision and checks the approvals of
 * every gate again, so that the judgement does not rely on the executor.
 */
export const policy: Evaluator<StepCase> = { name: 'policy', version: '1', assess };

function assess(c: StepCase): Assessment {
  if (!c.support.policy.permitted) return short(0, `not permitted: ${c.support.policy.reason}`);
  const declared = c.step.approval_mode;
  if (declared !== undefined && compareModes(declared, c.tool.approval_mode) < 0) {
    return short(0, `${declared} is weaker than ${c.tool.approval_mode}, which the registry asks for`);
  }
  const missing = unpassedGate(c, declared ?? c.tool.approval_mode);
  return missing === null ? FULL : short(0, `${missing} was not passed`);
}

function unpassedGate(c: StepCase, mode: ApprovalMode): string | null {
  for (const gate of c.step.requires ?? []) if (!passed(c, gate)) return gate;
  if (runsInline(mode)) return null;
  for (const gate of c.tool.gates) if (!passed(c, gate)) return gate;
  return c.support.approvals.some((entry) => approves(c, entry)) ? null : `an approval gate for ${mode}`;
}

function passed(c: StepCase, gate: string): boolean {
  return c.support.approvals.some((entry) => entry.gate === gate && approves(c, entry));
}

function approves(c: StepCase, entry: StepCase['support']['approvals'][number]): boolean {
  return entry.decision === 'approve' && entry.step_id === c.step.id;
}
