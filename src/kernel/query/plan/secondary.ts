import type { AcceptanceCriterion } from '../../../model/plan/goal.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';

const NONE: readonly AcceptanceCriterion[] = Object.freeze([]);

/** The secondary criteria of the goal. They are reported at the end; they do not keep a run going. */
export const secondaryOf = ({ intake }: RunState): ReadonlySet<string> =>
  new Set(intake.goal?.acceptance_criteria.filter(({ rank }) => rank === 'secondary').map(({ id }) => id));

/** How a run goes on without a step that failed: without its dependents, or without all further work. */
export type GivenUp = 'dependents' | 'rest';

/**
 * Whether the run goes on without the failed step: the plan calls it optional, or every primary criterion is met already,
 * so that only secondary work is left (ADR 0120). Null if the run needs the step.
 */
export function givenUp(state: RunState, { index, laneContext }: CurrentStep): GivenUp | null {
  if (state.planning.active?.plan.steps[index]?.optional === true) return 'dependents';
  const isParallel = laneContext !== undefined || state.lanes !== undefined;
  return !isParallel && hasRule(state, 'ends_by_cause') && isPrimaryMet(state) ? 'rest' : null;
}

/** Whether the committed evidence meets every primary criterion. */
function isPrimaryMet({ intake, work }: RunState): boolean {
  const criteria = intake.goal?.acceptance_criteria ?? NONE;
  const primary = criteria.filter(({ rank }) => rank === 'primary');
  return primary.length > 0 && primary.every(({ id, evidence }) => Object.hasOwn(work.evidenceByType, evidence ?? id));
}
