import type { PlanStep } from '../model/plan.ts';
import type { StepScore } from '../model/verdict.ts';
import { assocGet, assocPut } from './assoc.ts';
import type { Carried, Fact, RunState } from './state.ts';
import { vecFrom, vecGet } from './vec.ts';

/**
 * Everything the run has committed by now, whichever plan it was under: what was carried here, and what the plan in
 * force has done. It costs what that plan has done; what was carried is shared, however much that is.
 */
export function carryOver(state: RunState): Carried {
  let { steps, fillers, origins } = state.work.carried;
  const scores = newScores(state);
  for (const { step, fact } of committedHere(state)) {
    steps = assocPut(steps, step.id, { step, fact, score: scores.get(step.id) ?? scoreCarried(state, step.id, fact) });
    origins = assocPut(origins, fact.evidenceId, step.id);
    if (step.context_key !== undefined) fillers = assocPut(fillers, step.context_key, step.id);
  }
  return { steps, fillers, origins };
}

/** The scores of what the plan in force has done, the last of each step, in the order of the plan. */
export function standingScores(state: RunState): readonly StepScore[] {
  const scores = newScores(state);
  const standing: StepScore[] = [];
  for (const { step, fact } of committedHere(state)) {
    const score = scores.get(step.id) ?? scoreCarried(state, step.id, fact);
    if (score !== null) standing.push(score);
  }
  return standing;
}

/** The last score of each step that was judged under the plan in force. */
function newScores({ work }: RunState): ReadonlyMap<string, StepScore> {
  const scores = new Map<string, StepScore>();
  for (const score of vecFrom(work.scores, work.scoresCarried)) scores.set(score.step_id, score);
  return scores;
}

/** A step that was done before it was planned again has the score it was given then. */
function scoreCarried({ work }: RunState, stepId: string, fact: Fact): StepScore | null {
  const before = assocGet(work.carried.steps, stepId);
  return before?.fact === fact ? before.score : null;
}

interface CommittedHere {
  readonly step: PlanStep;
  readonly fact: Fact;
}

function committedHere({ planning, work }: RunState): readonly CommittedHere[] {
  const committed: CommittedHere[] = [];
  planning.active?.plan.steps.forEach((step, index) => {
    const done = vecGet(work.progress, index);
    if (done?.status === 'committed' && done.fact !== null) committed.push({ step, fact: done.fact });
  });
  return committed;
}
