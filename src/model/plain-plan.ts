import { isJsonList, isJsonObject, type Json, type JsonObject } from './json.ts';
import { isName } from './name.ts';

const PLAN_FIELDS: ReadonlySet<string> = new Set(['plan_id', 'intent', 'steps', 'decision_checkpoints']);
const STEP_FIELDS: ReadonlySet<string> = new Set(['id', 'tool', 'params', 'depends_on', 'context_key']);

/**
 * Recognises the plan that nearly every planner writes: steps with names, arguments and what they wait for. Where it
 * says yes, the schema of plans would say so too, only later; a no says nothing, and then the schema has to be asked.
 * For plain, bounded JSON only.
 */
export function isPlainPlan(value: Json): boolean {
  if (!isJsonObject(value) || !hasOnly(PLAN_FIELDS, value)) return false;
  const { plan_id, intent, steps, decision_checkpoints } = value;
  if (!isName(plan_id) || !isName(intent)) return false;
  return isJsonList(decision_checkpoints) && decision_checkpoints.length === 0 && areSteps(steps);
}

const areSteps = (steps: Json | undefined): boolean => isListOf(steps, isPlainStep);

/** By place: a list may bring a method of its own that would answer for it. */
function isListOf(value: Json | undefined, fits: (item: Json) => boolean): boolean {
  if (!isJsonList(value)) return false;
  for (let at = 0; at < value.length; at += 1) if (!fits(value[at] ?? null)) return false;
  return true;
}

function isPlainStep(step: Json): boolean {
  if (!isJsonObject(step) || !hasOnly(STEP_FIELDS, step)) return false;
  const { id, tool, params, depends_on, context_key } = step;
  if (!isName(id) || !isName(tool)) return false;
  if (params !== undefined && !isJsonObject(params)) return false;
  if (context_key !== undefined && !isName(context_key)) return false;
  return depends_on === undefined || isListOf(depends_on, isName);
}

function hasOnly(fields: ReadonlySet<string>, value: JsonObject): boolean {
  for (const key in value) if (!fields.has(key)) return false;
  return true;
}
