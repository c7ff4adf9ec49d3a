import type { PlanStep } from '../model/plan.ts';
import type { RiskClass } from '../model/risk.ts';
import { addCost, NO_COST, type ToolCost, type ToolSpec } from '../model/tool.ts';
import type { Amounts } from './budget-view.ts';
import { holdsDraft } from './draft/draft-places.ts';
import { isWritten } from './draft/drafted-args.ts';
import type { KernelEnv } from './env.ts';
import { type Estimate, NO_ESTIMATE, stepEstimate } from './estimate.ts';
import { panelOnRun, panelOnStep, panelsCost } from './judges/panels.ts';
import type { RunState } from './state.ts';

/** One step of a plan: its tool, whoever writes for it and whoever judges it. Models may cost less, so only its upper bound moves. */
export function plannedEstimate(env: KernelEnv, risk: RiskClass, step: PlanStep, spec: ToolSpec): Estimate {
  const tool = stepEstimate(spec);
  if (isUnjudged(env) && env.limits.drafterCost === null) return tool;
  return withModels(tool, addCost(draftCost(env, step), judgesCost(env, risk, step)), 1);
}

/** What comes after the last step: whoever judges the run as a whole. */
export function closingEstimate(env: KernelEnv, { intake }: RunState): Estimate {
  return isUnjudged(env) ? NO_ESTIMATE : withModels(NO_ESTIMATE, panelsCost(env, panelOnRun(env, intake)), 1);
}

/** What is still needed once it is this step's turn: what was written for it already is paid for. */
export function estimateBefore(env: KernelEnv, state: RunState, step: PlanStep): Estimate {
  const { estimate } = state.work;
  return isWritten(state, step) ? withModels(estimate, draftCost(env, step), -1) : estimate;
}

function draftCost({ limits }: KernelEnv, { params = {} }: PlanStep): ToolCost {
  return limits.drafterCost === null || !holdsDraft(params) ? NO_COST : limits.drafterCost;
}

const judgesCost = (env: KernelEnv, risk: RiskClass, step: PlanStep): ToolCost =>
  isUnjudged(env) ? NO_COST : panelsCost(env, panelOnStep(env, risk, step));

const isUnjudged = ({ judges = [] }: KernelEnv): boolean => judges.length === 0;

function withModels(
  { lower, upper }: Estimate,
  { input_tokens, output_tokens, microusd }: ToolCost,
  sign: 1 | -1,
): Estimate {
  const more: Amounts = {
    ...upper,
    input_tokens: upper.input_tokens + sign * input_tokens,
    output_tokens: upper.output_tokens + sign * output_tokens,
    cost_microusd: upper.cost_microusd + sign * microusd,
  };
  return { lower, upper: more };
}
