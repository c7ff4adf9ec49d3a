import { pointerToken } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PlanInput, PlanStep } from '../../model/plan/plan.ts';
import { type Placed, stepProblem } from './step-rules.ts';
import type { ToolTable } from './tool-table.ts';
import type { Lookup } from './verify-context.ts';

/** The keys and tools that a step may use. */
export interface StepScope {
  readonly index: number;
  /** Context keys that exist when the step runs, with the types of their values; an empty list if they are unknown. */
  readonly keys: Lookup<readonly string[]>;
  readonly tools: ToolTable;
}

/**
 * Checks that a step's tool exists and its inputs name existing keys. It is used for plans, with the keys of earlier
 * steps, and for single reactive steps, with the keys in state.
 */
export function validateStep(step: PlanStep, scope: StepScope): readonly Problem[] {
  const isKnown = scope.tools.get(step.tool) !== undefined;
  if (isKnown && step.inputs === undefined) return NO_PROBLEMS;
  const placed: Placed = { step, index: scope.index };
  const problems: Problem[] = [];
  if (!isKnown) problems.push(unknownTools([placed], scope.tools));
  (step.inputs ?? []).forEach((input, place) => {
    for (const { key, type } of keysOf(input)) {
      const types = scope.keys.get(key);
      const below = `/inputs/${place}${type === null ? '' : pointerToken(type)}`;
      const detail = { key, step_index: scope.index };
      if (types === undefined)
        problems.push(
          stepProblem(placed, 'invalid_context_key', below, `no context key "${key}" is available here`, detail),
        );
      else if (type !== null && types.length > 0 && !types.includes(type))
        problems.push(
          stepProblem(
            placed,
            'invalid_context_key',
            below,
            `"${key}" holds ${types.join(', ')} and no ${type}`,
            detail,
          ),
        );
    }
  });
  return problems;
}

const NO_PROBLEMS: readonly Problem[] = Object.freeze([]);

/** One problem for all unknown tools, with the available ones. */
export function unknownTools(placed: readonly Placed[], tools: ToolTable): Problem {
  const [first] = placed;
  const unknown = [...new Set(placed.map(({ step }) => step.tool))];
  return {
    code: 'hallucinated_capability',
    path: `/steps/${first?.index ?? 0}/tool`,
    message: `no such tool: ${unknown.join(', ')}. Available: ${tools.availableText}`,
    ...(first === undefined ? {} : { step_id: first.step.id }),
    detail: { unknown, steps: placed.map(({ step }) => step.id), available: tools.available },
  };
}

/** The keys of an input in both spellings: `"weather"` and `{ "WEATHER": "weather" }`. */
export function keysOf(input: PlanInput): readonly { readonly key: string; readonly type: string | null }[] {
  if (typeof input === 'string') return [{ key: input, type: null }];
  return Object.entries(input).map(([type, key]) => ({ key, type }));
}
