import type { Json, JsonObject } from '../../model/json.ts';
import { isJsonList, isJsonObject } from '../../model/json.ts';
import type { Problem } from '../../model/problem.ts';

/** What a plan is called that does not say so itself. */
export interface PlanNaming {
  readonly planId: string;
  readonly intent: string;
}

export type CapabilityPlan =
  | { readonly kind: 'other' }
  | { readonly kind: 'read'; readonly plan: JsonObject }
  | { readonly kind: 'untyped'; readonly problems: readonly Problem[] };

/**
 * A plan in the words of capabilities: steps with a `context_key` and a `capability` instead of an id and a tool. The
 * key that a step fills is its id as well, because no two steps may fill the same.
 */
export function readCapabilityPlan(proposed: Json, naming: PlanNaming): CapabilityPlan {
  if (!isJsonObject(proposed) || !isJsonList(proposed['steps'])) return { kind: 'other' };
  const { steps } = proposed;
  if (!steps.some(isCapabilityStep)) return { kind: 'other' };
  const problems = steps.flatMap(missing);
  if (problems.length > 0) return { kind: 'untyped', problems };
  const named = { plan_id: naming.planId, intent: naming.intent, decision_checkpoints: [] };
  return { kind: 'read', plan: { ...named, ...proposed, steps: steps.map(toStep) } };
}

function isCapabilityStep(step: Json): boolean {
  if (!isJsonObject(step)) return false;
  return Object.hasOwn(step, 'capability') || (Object.hasOwn(step, 'context_key') && !Object.hasOwn(step, 'tool'));
}

function missing(step: Json, index: number): readonly Problem[] {
  return ['context_key', 'capability'].flatMap((field) =>
    isJsonObject(step) && Object.hasOwn(step, field)
      ? []
      : [{ code: 'plan_untyped' as const, path: `/steps/${index}/${field}`, message: `step ${index} has no ${field}` }],
  );
}

/** Whatever else a step says stays as it is, and is refused with the rest if no step may say it. */
function toStep(step: Json): Json {
  if (!isJsonObject(step)) return step;
  const { capability, ...said } = step;
  return { id: said['context_key'] ?? null, ...said, tool: capability ?? null };
}
