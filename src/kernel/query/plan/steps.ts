import type { PlanStep } from '../../../model/plan/plan.ts';
import type { RiskClass } from '../../../model/policy/risk.ts';
import { type Estimate, subtractEstimate } from '../../budget/estimate.ts';
import type { KernelEnv } from '../../env.ts';
import { assocValues } from '../../state/assoc.ts';
import type { ActivePlan, Fact, RunState, StepProgress, Work } from '../../state/run-state.ts';
import { vecGet, vecSet } from '../../state/vec.ts';
import { carryOver } from './carry-over.ts';
import { plannedEstimate } from './estimate-plan.ts';

/** The first pending step in plan order. */
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

/** The progress of the active plan. */
type Progress = Pick<Work, 'progress' | 'estimate' | 'cursor' | 'unresolved'>;

/** Settles one step, subtracts its estimate from the plan's, and moves the cursor past settled steps. */
export function settleStep(
  env: KernelEnv,
  active: ActivePlan,
  { work, intake: { risk } }: Pick<RunState, 'work' | 'intake'>,
  index: number,
  settled: StepProgress,
): Progress {
  const progress = vecSet(work.progress, index, settled);
  const estimate = subtractShare(work.estimate, shareOf(env, risk, active, index));
  if (settled.status === 'failed') {
    const share = (other: number): Estimate | null => shareOf(env, risk, active, other);
    const skipped = skipDependents(share, active, { ...work, progress, estimate }, index);
    return { ...skipped, cursor: nextCursor(active, skipped.progress, work.cursor) };
  }
  return { progress, estimate, cursor: nextCursor(active, progress, work.cursor), unresolved: work.unresolved };
}

/** Skips all dependents of a failed step and lists them as unresolved. */
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

interface DoneStep {
  readonly step: PlanStep;
  readonly fact: Fact;
}

/** Everything that was committed under any plan, in order. */
export function doneSteps(state: RunState): readonly DoneStep[] {
  return [...assocValues(carryOver(state).steps)].toSorted((a, b) => evidenceNumber(a.fact) - evidenceNumber(b.fact));
}

/** Evidence ids are numbered in commit order. */
const evidenceNumber = ({ evidenceId }: Fact): number => Number(evidenceId.slice(evidenceId.lastIndexOf('_') + 1));
