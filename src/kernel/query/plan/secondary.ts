import type { AcceptanceCriterion } from '../../../model/plan/goal.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';

const NONE: readonly AcceptanceCriterion[] = Object.freeze([]);

/** The secondary criteria of the goal. They are reported at the end; they do not keep a run going. */
export const secondaryOf = ({ intake }: RunState): ReadonlySet<string> =>
  new Set(intake.goal?.acceptance_criteria.filter(({ rank }) => rank === 'secondary').map(({ id }) => id));

/** The steps that a run skips after one that failed: its dependents, or all further work. */
export type SkippedSteps = 'dependents' | 'rest';

/**
 * The steps to skip after a failed step that the run can do without: the plan calls it optional, or only secondary work is
 * left (ADR 0120). Null if the run needs the step.
 */
export function stepsToSkip(env: KernelEnv, state: RunState, { index, laneContext }: CurrentStep): SkippedSteps | null {
  if (state.planning.active?.plan.steps[index]?.optional === true) return 'dependents';
  const isParallel = laneContext !== undefined || state.lanes !== undefined;
  return !isParallel && hasRule(state, 'ends_by_cause') && isPrimaryDone(env, state) ? 'rest' : null;
}

/** Whether the committed evidence meets every primary criterion, and no pending step supplies more of it. */
function isPrimaryDone(env: KernelEnv, { intake, work, planning }: RunState): boolean {
  const criteria = intake.goal?.acceptance_criteria ?? NONE;
  const types = criteria.flatMap(({ rank, id, evidence }) => (rank === 'primary' ? [evidence ?? id] : []));
  const isMet = types.length > 0 && types.every((type) => Object.hasOwn(work.evidenceByType, type));
  const pending = planning.active?.plan.steps.filter((_, at) => vecGet(work.progress, at)?.status === 'pending') ?? [];
  return isMet && !pending.some(({ tool }) => env.tools.get(tool)?.produces.some((type) => types.includes(type)));
}
