import { Fault } from './fault.ts';
import { parse } from './parse.ts';
import { Plan } from './plan.ts';

const STEP_PATH = /^\/steps\/(\d+)(?:\/|$)/;

/**
 * Whatever a planner returned, as a typed plan or not at all. A fault in a step names the step by the id its
 * author gave it, because a planner that is asked again knows its steps by id and not by number.
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

/** The raw id of the step that a path points into, if it has one that can be shown. */
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
