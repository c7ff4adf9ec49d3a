import type { PlanStep } from '../model/plan.ts';
import type { KernelEnv } from './env.ts';
import { type Estimate, stepEstimate, subtractEstimate } from './estimate.ts';
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

/** Settles one step, takes its share out of what the rest of the plan needs, and moves the cursor past what is settled. */
export function settleStep(env: KernelEnv, active: ActivePlan, work: Work, index: number, settled: StepProgress): Work {
  const done: Work = {
    ...work,
    progress: vecSet(work.progress, index, settled),
    estimate: without(env, active, work.estimate, index),
  };
  return moveCursor(active, settled.status === 'failed' ? skipDependents(env, active, done, index) : done);
}

/** Whatever depends on a failed step can no longer run; it is named, because whoever reads the ending has to be told. */
function skipDependents(env: KernelEnv, active: ActivePlan, work: Work, failed: number): Work {
  let { progress, estimate } = work;
  const unresolved = [...work.unresolved];
  const queue = [failed];
  for (let head = queue.shift(); head !== undefined; head = queue.shift()) {
    unresolved.push(active.plan.steps[head]?.id ?? '');
    for (const dependent of active.index.dependents[head] ?? []) {
      const before = vecGet(progress, dependent);
      if (before?.status !== 'pending') continue;
      progress = vecSet(progress, dependent, { ...before, status: 'skipped' });
      estimate = without(env, active, estimate, dependent);
      queue.push(dependent);
    }
  }
  return { ...work, progress, estimate, unresolved };
}

function without(env: KernelEnv, active: ActivePlan, estimate: Estimate, index: number): Estimate {
  const spec = env.tools.get(active.plan.steps[index]?.tool ?? '');
  return spec === undefined ? estimate : subtractEstimate(estimate, stepEstimate(spec));
}

function moveCursor(active: ActivePlan, work: Work): Work {
  let cursor = work.cursor;
  while (cursor < active.index.order.length) {
    if (vecGet(work.progress, active.index.order[cursor] ?? -1)?.status === 'pending') break;
    cursor += 1;
  }
  return { ...work, cursor };
}
