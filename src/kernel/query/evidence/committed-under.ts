import type { Plan } from '../../../model/plan/plan.ts';
import { assocGet } from '../../state/assoc.ts';
import type { ActivePlan, Fact, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';

interface CommittedFact {
  readonly tool: string;
  readonly fact: Fact;
}

/** The step of this plan or of an earlier one that committed this evidence. Null if no step holds it any longer. */
export function committedUnder({ planning, work }: RunState, evidenceId: string): CommittedFact | null {
  const origin = assocGet(work.carried.origins, evidenceId);
  const carried = origin === undefined ? undefined : assocGet(work.carried.steps, origin);
  if (carried?.fact.evidenceId === evidenceId) return { tool: carried.step.tool, fact: carried.fact };
  return planning.active === null ? null : findInPlan(planning.active, work, evidenceId);
}

/** Checks the last completed step first: callers nearly always look for the newest evidence. */
function findInPlan(active: ActivePlan, work: RunState['work'], evidenceId: string): CommittedFact | null {
  const newest = active.index.order[work.cursor - 1];
  return (
    (newest === undefined ? null : factAt(active, work, newest, evidenceId)) ?? findByHint(active, work, evidenceId)
  );
}

/** The fact that the step at this index committed under this id, or null. */
function factAt(
  { plan }: ActivePlan,
  { progress }: RunState['work'],
  index: number,
  evidenceId: string,
): CommittedFact | null {
  const step = plan.steps[index];
  const done = vecGet(progress, index);
  if (step === undefined || done?.fact?.evidenceId !== evidenceId || done.status !== 'committed') return null;
  return { tool: step.tool, fact: done.fact };
}

/** The index where evidence was last found in a plan: a hint that saves a search and that each lookup checks. */
const HINTS = new WeakMap<Plan, Map<string, number>>();

function findByHint(active: ActivePlan, work: RunState['work'], evidenceId: string): CommittedFact | null {
  const hints = HINTS.get(active.plan) ?? new Map<string, number>();
  const hint = hints.get(evidenceId);
  const hinted = hint === undefined ? null : factAt(active, work, hint, evidenceId);
  if (hinted !== null) return hinted;
  const index = findIndexOf(active, work, evidenceId);
  if (index === undefined) return null;
  HINTS.set(active.plan, hints.set(evidenceId, index));
  return factAt(active, work, index, evidenceId);
}

/** Searches completed steps first, newest first, then the others. */
function findIndexOf(active: ActivePlan, work: RunState['work'], evidenceId: string): number | undefined {
  const { order } = active.index;
  const hasFact = (index: number): boolean => factAt(active, work, index, evidenceId) !== null;
  const done = order.findLast((index, place) => place < work.cursor && hasFact(index));
  return done ?? order.find((index, place) => place >= work.cursor && hasFact(index));
}
