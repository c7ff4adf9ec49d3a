import { hasDraft, type PlanStep } from '../../../model/plan/plan.ts';
import type { RiskClass } from '../../../model/policy/risk.ts';
import { addCost, NO_COST, type ToolCost, type ToolSpec } from '../../../model/tool/tool.ts';
import { type Estimate, NO_ESTIMATE, stepEstimate, subtractEstimate } from '../../budget/estimate.ts';
import type { Amounts } from '../../budget/view.ts';
import type { KernelEnv } from '../../env.ts';
import type { ActivePlan, RunState, StepProgress, Work } from '../../state/run-state.ts';
import { vecGet, vecSet } from '../../state/vec.ts';
import { panelOnRun, panelOnStep, panelsCost } from '../critic-input/panels.ts';
import { isDrafted } from './drafts.ts';
import type { SkippedSteps } from './secondary.ts';

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

/** The progress of the active plan. */
type Progress = Pick<Work, 'progress' | 'estimate' | 'cursor' | 'unresolved'>;

/**
 * Settles one step, subtracts its estimate from the plan's, and moves the cursor past settled steps. A failed step takes
 * its dependents with it, or all further work; the steps that answer the user stay.
 */
export function settleStep(
  env: KernelEnv,
  active: ActivePlan,
  { work, intake: { risk } }: Pick<RunState, 'work' | 'intake'>,
  index: number,
  settled: StepProgress,
  skips: SkippedSteps = 'dependents',
): Progress {
  const progress = vecSet(work.progress, index, settled);
  const estimate = subtractShare(work.estimate, shareOf(env, risk, active, index));
  if (settled.status === 'failed') {
    const share = (other: number): Estimate | null => shareOf(env, risk, active, other);
    const speaks = (other: number): boolean =>
      env.tools.get(active.plan.steps[other]?.tool ?? '')?.speaks !== undefined;
    const further = skips === 'rest' ? active.index.order.filter((other) => !speaks(other)) : [];
    const skipped = skipDependents(share, active, { ...work, progress, estimate }, index, further);
    return { ...skipped, cursor: nextCursor(active, skipped.progress, work.cursor) };
  }
  return { progress, estimate, cursor: nextCursor(active, progress, work.cursor), unresolved: work.unresolved };
}

/** Skips all dependents of a failed step, and the further steps, and lists them as unresolved. */
function skipDependents(
  share: (index: number) => Estimate | null,
  active: ActivePlan,
  work: Omit<Progress, 'cursor'>,
  failed: number,
  further: readonly number[],
): Omit<Progress, 'cursor'> {
  let { progress, estimate } = work;
  const unresolved = [...work.unresolved];
  const queue = [failed];
  for (let head = queue.shift(); head !== undefined; head = queue.shift()) {
    unresolved.push(active.plan.steps[head]?.id ?? '');
    for (const dependent of [...(active.index.dependents[head] ?? []), ...(head === failed ? further : [])]) {
      const before = vecGet(progress, dependent);
      if (before?.status !== 'pending') continue;
      progress = vecSet(progress, dependent, { ...before, status: 'skipped' });
      estimate = subtractShare(estimate, share(dependent));
      queue.push(dependent);
    }
  }
  return { progress, estimate, unresolved };
}

/** The estimate of one step; null for an unknown tool. */
function shareOf(env: KernelEnv, risk: RiskClass, { plan }: ActivePlan, index: number): Estimate | null {
  const step = plan.steps[index];
  const spec = step === undefined ? undefined : env.tools.get(step.tool);
  return step === undefined || spec === undefined ? null : plannedEstimate(env, risk, step, spec);
}

const subtractShare = (estimate: Estimate, share: Estimate | null): Estimate =>
  share === null ? estimate : subtractEstimate(estimate, share);

/** The position of the first pending step at or after `from`. */
function nextCursor({ index: { order } }: ActivePlan, progress: Work['progress'], from: number): number {
  let cursor = from;
  while (cursor < order.length && vecGet(progress, order[cursor] ?? -1)?.status !== 'pending') cursor += 1;
  return cursor;
}
