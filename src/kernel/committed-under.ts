import type { Plan } from '../model/plan.ts';
import { assocGet } from './assoc.ts';
import type { ActivePlan, Fact, RunState } from './state.ts';
import { vecGet } from './vec.ts';

interface CommittedFact {
  readonly tool: string;
  readonly fact: Fact;
}

/** The step that committed something under this id, in this plan or in one before it; null where none stands by it. */
export function committedUnder({ planning, work }: RunState, evidenceId: string): CommittedFact | null {
  const origin = assocGet(work.carried.origins, evidenceId);
  const carried = origin === undefined ? undefined : assocGet(work.carried.steps, origin);
  if (carried?.fact.evidenceId === evidenceId) return { tool: carried.step.tool, fact: carried.fact };
  return planning.active === null ? null : inPlan(planning.active, work, evidenceId);
}

/** What is asked for is nearly always the newest there is, right before the first step that is not done. */
function inPlan(active: ActivePlan, work: RunState['work'], evidenceId: string): CommittedFact | null {
  const newest = active.index.order[work.cursor - 1];
  return (newest === undefined ? null : factAt(active, work, newest, evidenceId)) ?? found(active, work, evidenceId);
}

/** What the step at this place of the plan has committed, where it has and under this id. */
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

/**
 * Where in a plan a piece of evidence was found last. Only a hint: it saves looking through the plan before every call
 * for what has not moved since, and what stands there is looked at again each time.
 */
const HINTS = new WeakMap<Plan, Map<string, number>>();

function found(active: ActivePlan, work: RunState['work'], evidenceId: string): CommittedFact | null {
  const hints = HINTS.get(active.plan) ?? new Map<string, number>();
  const hint = hints.get(evidenceId);
  const hinted = hint === undefined ? null : factAt(active, work, hint, evidenceId);
  if (hinted !== null) return hinted;
  const index = placeOf(active, work, evidenceId);
  if (index === undefined) return null;
  HINTS.set(active.plan, hints.set(evidenceId, index));
  return factAt(active, work, index, evidenceId);
}

/** What is done is looked through before what is not, the latest first. */
function placeOf(active: ActivePlan, work: RunState['work'], evidenceId: string): number | undefined {
  const { order } = active.index;
  const isHere = (index: number): boolean => factAt(active, work, index, evidenceId) !== null;
  const done = order.findLast((index, place) => place < work.cursor && isHere(index));
  return done ?? order.find((index, place) => place >= work.cursor && isHere(index));
}
