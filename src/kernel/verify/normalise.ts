import type { Plan, PlanStep, Subtask } from '../../model/plan/plan.ts';
import { mergeSubtasks } from './subtasks.ts';
import { keysOf } from './validate-step.ts';

/**
 * Normalises a plan: inputs become plain keys and dependencies on the steps that fill them, equal sub-tasks are merged,
 * and sub-tasks are at least one level below the run. Steps keep their positions. Returns the proposed object itself if
 * nothing changed.
 */
export function normalise(plan: Plan, depth: number): Plan {
  const steps = normaliseSteps(plan.steps);
  const changed = steps === plan.steps ? plan : { ...plan, steps };
  if (plan.subtasks === undefined) return changed;
  const lowered = keepIfSame(mergeSubtasks(plan.subtasks), (subtask) => atLeast(subtask, depth + 1));
  return lowered === plan.subtasks ? changed : { ...changed, subtasks: lowered };
}

function normaliseSteps(steps: readonly PlanStep[]): readonly PlanStep[] {
  if (steps.every(({ inputs }) => inputs === undefined)) return steps;
  const filledBy = new Map<string, string>();
  return keepIfSame(steps, (step) => {
    const normal = normaliseStep(step, filledBy);
    if (step.context_key !== undefined && !filledBy.has(step.context_key)) filledBy.set(step.context_key, step.id);
    return normal;
  });
}

/** Adds a dependency for each input; without it the step could start before its key is filled. */
function normaliseStep(step: PlanStep, filledBy: ReadonlyMap<string, string>): PlanStep {
  if (step.inputs === undefined) return step;
  const keys = [...new Set(step.inputs.flatMap((input) => keysOf(input).map(({ key }) => key)))];
  const plain = keys.length === step.inputs.length && step.inputs.every((input) => typeof input === 'string');
  const declared = step.depends_on ?? [];
  const wanted = new Set(declared);
  for (const key of keys) {
    const id = filledBy.get(key);
    if (id !== undefined) wanted.add(id);
  }
  const implied = wanted.size > new Set(declared).size;
  if (plain && !implied) return step;
  return { ...step, inputs: plain ? step.inputs : keys, ...(implied ? { depends_on: [...wanted] } : {}) };
}

const atLeast = (subtask: Subtask, depth: number): Subtask =>
  subtask.depth >= depth ? subtask : { ...subtask, depth };

function keepIfSame<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
