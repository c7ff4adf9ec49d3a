import type { PlanStep } from '../model/plan.ts';
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

/** Settles one step and everything that can no longer run because of it, and moves the cursor past what is settled. */
export function settleStep(active: ActivePlan, work: Work, index: number, settled: StepProgress): Work {
  let progress = vecSet(work.progress, index, settled);
  const unresolved = [...work.unresolved];
  if (settled.status === 'failed') {
    const queue = [index];
    for (let head = queue.shift(); head !== undefined; head = queue.shift()) {
      unresolved.push(active.plan.steps[head]?.id ?? '');
      for (const dependent of active.index.dependents[head] ?? []) {
        const before = vecGet(progress, dependent);
        if (before?.status !== 'pending') continue;
        progress = vecSet(progress, dependent, { ...before, status: 'skipped' });
        queue.push(dependent);
      }
    }
  }
  let cursor = work.cursor;
  while (cursor < active.index.order.length) {
    if (vecGet(progress, active.index.order[cursor] ?? -1)?.status === 'pending') break;
    cursor += 1;
  }
  return { ...work, progress, cursor, unresolved: settled.status === 'failed' ? unresolved : work.unresolved };
}
