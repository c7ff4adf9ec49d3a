import type { Plan } from '../model/plan.ts';
import { assocGet } from './assoc.ts';
import type { ActivePlan, Fact, RunState } from './state.ts';
import { vecGet } from './vec.ts';

interface CommittedFact {
  readonly tool: string;
  readonly fact: Fact;
}

/**
 * Where in a plan a piece of evidence was found last. Only a hint: it saves looking through the plan before every call
 * for what has not moved since, and what stands there is looked at again each time.
 */
const HINTS = new WeakMap<Plan, Map<string, number>>();

/** The step that committed something under this id, in this plan or in one before it; null where none stands by it. */
export function committedUnder({ planning, work }: RunState, evidenceId: string): CommittedFact | null {
  const origin = assocGet(work.carried.origins, evidenceId);
  const carried = origin === undefined ? undefined : assocGet(work.carried.steps, origin);
  if (carried?.fact.evidenceId === evidenceId) return { tool: carried.step.tool, fact: carried.fact };
  return planning.active === null ? null : inPlan(planning.active, work, evidenceId);
}

function inPlan(
  { plan, index: { order } }: ActivePlan,
  work: RunState['work'],
  evidenceId: string,
): CommittedFact | null {
  const hints = HINTS.get(plan) ?? new Map<string, number>();
  HINTS.set(plan, hints);
  const at = (index: number | undefined): CommittedFact | null => {
    const step = index === undefined ? undefined : plan.steps[index];
    const done = index === undefined ? undefined : vecGet(work.progress, index);
    if (step === undefined || index === undefined || done?.fact?.evidenceId !== evidenceId) return null;
    if (done.status !== 'committed') return null;
    hints.set(evidenceId, index);
    return { tool: step.tool, fact: done.fact };
  };
  const hinted = at(hints.get(evidenceId));
  if (hinted !== null) return hinted;
  // What is asked for is nearly always the newest there is, right before the first step that is not done.
  for (let place = work.cursor - 1; place >= 0; place -= 1) {
    const found = at(order[place]);
    if (found !== null) return found;
  }
  for (let place = work.cursor; place < order.length; place += 1) {
    const found = at(order[place]);
    if (found !== null) return found;
  }
  return null;
}
