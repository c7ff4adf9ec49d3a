import { Fault } from '../fault/fault.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { isName } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import { Plan } from './plan.ts';

const STEP_PATH = /^\/steps\/(\d+)(?:\/|$)/;

/**
 * Parses a planner's output to a plan or throws a fault. A fault in a step names the step by its id, because a planner
 * that retries knows its steps by id and not by index.
 */
export function parsePlan(value: unknown): Plan {
  try {
    return parse(Plan, value, 'plan_untyped');
  } catch (error) {
    const step = Fault.is(error) && error.code === 'plan_untyped' ? stepAt(value, error.path) : null;
    if (!Fault.is(error) || step === null) throw error;
    throw new Fault(error.code, `step ${step}: ${error.message}`, {
      ...(error.path === undefined ? {} : { path: error.path }),
      cause: error,
    });
  }
}

/** Returns the quoted id of the step that a path points into, or null if it has none. */
function stepAt(value: unknown, path: string | undefined): string | null {
  const index = STEP_PATH.exec(path ?? '')?.[1];
  if (index === undefined || !hasSteps(value)) return null;
  const step: unknown = value.steps[Number(index)];
  if (typeof step !== 'object' || step === null || !Object.hasOwn(step, 'id')) return null;
  const id: unknown = (step as { readonly id?: unknown }).id;
  return typeof id === 'string' ? JSON.stringify(id.slice(0, 200)) : null;
}

function hasSteps(value: unknown): value is { readonly steps: readonly unknown[] } {
  return typeof value === 'object' && value !== null && 'steps' in value && Array.isArray(value.steps);
}

const PLAN_FIELDS: ReadonlySet<string> = new Set(['plan_id', 'intent', 'steps', 'decision_checkpoints']);
const STEP_FIELDS: ReadonlySet<string> = new Set(['id', 'tool', 'params', 'depends_on', 'context_key']);

/**
 * Fast path for the plan most planners write: steps with names, arguments and dependencies. True guarantees that the
 * plan schema accepts the value; false means that the schema has to decide. The value must be plain, bounded JSON.
 */
export function isPlainPlan(value: Json): boolean {
  if (!isJsonObject(value) || !hasOnly(PLAN_FIELDS, value)) return false;
  const { plan_id, intent, steps, decision_checkpoints } = value;
  if (!isName(plan_id) || !isName(intent)) return false;
  return isJsonList(decision_checkpoints) && decision_checkpoints.length === 0 && areSteps(steps);
}

const areSteps = (steps: Json | undefined): boolean => isListOf(steps, isPlainStep);

/** Checks by index, because a list from outside may override `every`. */
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
