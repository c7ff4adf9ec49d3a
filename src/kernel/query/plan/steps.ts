import type { StepScore } from '../../../model/critic/verdict.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { assocGet, assocPut, assocValues } from '../../state/assoc.ts';
import type { Carried, Fact, RunState } from '../../state/run-state.ts';
import { vecFrom, vecGet } from '../../state/vec.ts';

/** Everything that the run has committed. The cost depends on the active plan only; earlier plans are shared. */
export function carryOver(state: RunState): Carried {
  let { steps, fillers, origins } = state.work.carried;
  const scores = newScores(state);
  for (const { step, fact } of committedSteps(state)) {
    steps = assocPut(steps, step.id, { step, fact, score: scores.get(step.id) ?? scoreCarried(state, step.id, fact) });
    origins = assocPut(origins, fact.evidenceId, step.id);
    if (step.context_key !== undefined) fillers = assocPut(fillers, step.context_key, step.id);
  }
  return { steps, fillers, origins };
}

/** The last score of each committed step of the active plan, in plan order. */
export function standingScores(state: RunState): readonly StepScore[] {
  const scores = newScores(state);
  const standing: StepScore[] = [];
  for (const { step, fact } of committedSteps(state)) {
    const score = scores.get(step.id) ?? scoreCarried(state, step.id, fact);
    if (score !== null) standing.push(score);
  }
  return standing;
}

/** The last score of each step that was judged under the active plan. */
function newScores({ work }: RunState): ReadonlyMap<string, StepScore> {
  const scores = new Map<string, StepScore>();
  for (const score of vecFrom(work.scores, work.scoresCarried)) scores.set(score.step_id, score);
  return scores;
}

/** A step that was committed before the replan keeps its score. */
function scoreCarried({ work }: RunState, stepId: string, fact: Fact): StepScore | null {
  const before = assocGet(work.carried.steps, stepId);
  return before?.fact === fact ? before.score : null;
}

interface PlanFact {
  readonly step: PlanStep;
  readonly fact: Fact;
}

function committedSteps({ planning, work }: RunState): readonly PlanFact[] {
  const committed: PlanFact[] = [];
  planning.active?.plan.steps.forEach((step, index) => {
    const done = vecGet(work.progress, index);
    if (done?.status === 'committed' && done.fact !== null) committed.push({ step, fact: done.fact });
  });
  return committed;
}

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
