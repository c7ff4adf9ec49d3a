import type { PlanStep } from '../model/plan.ts';
import type { RiskClass } from '../model/risk.ts';
import type { KernelEnv } from './env.ts';
import { type Estimate, subtractEstimate } from './estimate.ts';
import { plannedEstimate } from './planned-estimate.ts';
import type { ActivePlan, RunState, StepProgress, Work } from './state.ts';
import { vecGet, vecSet } from './vec.ts';

/** The first step, in the plan's own order, that is still to be done. */
export function nextStep(state: RunState): { readonly index: number; readonly step: PlanStep } | null {
  const active = state.planning.active;
  if (active === null) return null;
  for (let place = state.work.cursor; place < active.index.order.length; place += 1) {
    const index = active.index.order[place] ?? -1;
    const step = active.plan.steps[index];
    if (step !== undefined && vecGet(state.work.progress, index)?.status === 'pending') return { index, step };
  }
  return null;
}

/** How far the plan in force has come, of all that the run has done. */
export type Progress = Pick<Work, 'progress' | 'estimate' | 'cursor' | 'unresolved'>;

/** Settles one step, takes its share out of what the rest of the plan needs, and moves the cursor past what is settled. */
export function settleStep(
  env: KernelEnv,
  active: ActivePlan,
  { work, intake: { risk } }: Pick<RunState, 'work' | 'intake'>,
  index: number,
  settled: StepProgress,
): Progress {
  const progress = vecSet(work.progress, index, settled);
  const estimate = without(work.estimate, shareOf(env, risk, active, index));
  if (settled.status === 'failed') {
    const share = (of: number): Estimate | null => shareOf(env, risk, active, of);
    const skipped = skipDependents(share, active, { ...work, progress, estimate }, index);
    return { ...skipped, cursor: moved(active, skipped.progress, work.cursor) };
  }
  return { progress, estimate, cursor: moved(active, progress, work.cursor), unresolved: work.unresolved };
}

/** Whatever depends on a failed step can no longer run; it is named, because whoever reads the ending has to be told. */
function skipDependents(
  share: (index: number) => Estimate | null,
  active: ActivePlan,
  work: Omit<Progress, 'cursor'>,
  failed: number,
): Omit<Progress, 'cursor'> {
  let { progress, estimate } = work;
  const unresolved = [...work.unresolved];
  const queue = [failed];
  for (let head = queue.shift(); head !== undefined; head = queue.shift()) {
    unresolved.push(active.plan.steps[head]?.id ?? '');
    for (const dependent of active.index.dependents[head] ?? []) {
      const before = vecGet(progress, dependent);
      if (before?.status !== 'pending') continue;
      progress = vecSet(progress, dependent, { ...before, status: 'skipped' });
      estimate = without(estimate, share(dependent));
      queue.push(dependent);
    }
  }
  return { progress, estimate, unresolved };
}

/** What the estimate of the plan holds for one of its steps; null for a tool that nobody knows. */
function shareOf(env: KernelEnv, risk: RiskClass, { plan }: ActivePlan, index: number): Estimate | null {
  const step = plan.steps[index];
  const spec = step === undefined ? undefined : env.tools.get(step.tool);
  return step === undefined || spec === undefined ? null : plannedEstimate(env, risk, step, spec);
}

const without = (estimate: Estimate, share: Estimate | null): Estimate =>
  share === null ? estimate : subtractEstimate(estimate, share);

/** The place of the first step, from this one on, that is still to be done. */
function moved({ index: { order } }: ActivePlan, progress: Work['progress'], from: number): number {
  let cursor = from;
  while (cursor < order.length && vecGet(progress, order[cursor] ?? -1)?.status !== 'pending') cursor += 1;
  return cursor;
}
