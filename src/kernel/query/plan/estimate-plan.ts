import type { PlanStep } from '../../../model/plan/plan.ts';
import type { RiskClass } from '../../../model/policy/risk.ts';
import { addCost, NO_COST, type ToolCost, type ToolSpec } from '../../../model/tool/tool.ts';
import { type Estimate, NO_ESTIMATE, stepEstimate } from '../../budget/estimate.ts';
import type { Amounts } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import { hasDraft } from '../../verify/drafts.ts';
import { panelOnRun, panelOnStep, panelsCost } from '../critic-input/panels.ts';
import { isDrafted } from './drafts.ts';

/** The estimate of a step: tool, drafter and judges. Models only raise the upper bound, since they may cost less. */
export function plannedEstimate(env: KernelEnv, risk: RiskClass, step: PlanStep, spec: ToolSpec): Estimate {
  const tool = stepEstimate(spec);
  if (isUnjudged(env) && env.limits.drafterCost === null) return tool;
  return withModels(tool, addCost(draftCost(env, step), judgesCost(env, risk, step)), 1);
}

/** The estimate of the judges of the run, after the last step. */
export function closingEstimate(env: KernelEnv, { intake }: RunState): Estimate {
  return isUnjudged(env) ? NO_ESTIMATE : withModels(NO_ESTIMATE, panelsCost(env, panelOnRun(env, intake)), 1);
}

/** The remaining estimate when this step starts. Its draft is already paid if it is written. */
export function estimateBefore(env: KernelEnv, state: RunState, step: PlanStep): Estimate {
  const { estimate } = state.work;
  return isDrafted(state, step) ? withModels(estimate, draftCost(env, step), -1) : estimate;
}

function draftCost({ limits }: KernelEnv, { params = {} }: PlanStep): ToolCost {
  return limits.drafterCost === null || !hasDraft(params) ? NO_COST : limits.drafterCost;
}

const judgesCost = (env: KernelEnv, risk: RiskClass, step: PlanStep): ToolCost =>
  isUnjudged(env) ? NO_COST : panelsCost(env, panelOnStep(env, risk, step));

const isUnjudged = ({ judges = [] }: KernelEnv): boolean => judges.length === 0;

function withModels(
  { lower, upper }: Estimate,
  { input_tokens, output_tokens, microusd }: ToolCost,
  sign: 1 | -1,
): Estimate {
  const raised: Amounts = {
    ...upper,
    input_tokens: upper.input_tokens + sign * input_tokens,
    output_tokens: upper.output_tokens + sign * output_tokens,
    cost_microusd: upper.cost_microusd + sign * microusd,
  };
  return { lower, upper: raised };
}
