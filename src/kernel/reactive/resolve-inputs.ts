import type { PlanInput } from '../../model/plan.ts';
import { needOf, type ToolNeed } from '../../model/tool.ts';

/** A context key that is filled, and the types of what it holds. */
export interface FilledKey {
  readonly key: string;
  readonly types: readonly string[];
}

/**
 * The inputs of a step, found by what its tool needs: for each type the key that was filled last. A type that nothing
 * has brought yet adds no input; whether the step can do without is for its arguments to show.
 */
export function resolveInputs(needs: readonly ToolNeed[], filled: readonly FilledKey[]): readonly PlanInput[] {
  const types = new Set(needs.map(needOf));
  return [...types].flatMap((type): readonly PlanInput[] => {
    const latest = filled.findLast(({ types: held }) => held.includes(type));
    return latest === undefined ? [] : [{ [type]: latest.key }];
  });
}
