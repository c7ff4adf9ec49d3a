import { isJsonList, isJsonObject, type Json } from '../model/json.ts';
import type { DoneStep } from '../ports/planner.ts';

/**
 * Steps without the dependencies that are met already. A model is told to list what a step is bound to, and on a new
 * plan that may be something done under the one before: it has not to be waited for, and it is not in this plan.
 */
export function withoutSettled(steps: readonly Json[], done: readonly DoneStep[]): readonly Json[] {
  if (done.length === 0) return steps;
  const planned = new Set(steps.map((step) => (isJsonObject(step) ? step['id'] : undefined)));
  const settled = new Set<Json>(done.map(({ step }) => step.id).filter((id) => !planned.has(id)));
  return steps.map((step) => {
    const named = isJsonObject(step) ? step['depends_on'] : undefined;
    if (!isJsonObject(step) || !isJsonList(named)) return step;
    const open = named.filter((id) => !settled.has(id));
    return open.length === named.length ? step : { ...step, depends_on: open };
  });
}
