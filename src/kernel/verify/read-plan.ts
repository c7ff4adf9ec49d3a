import { Fault, type FaultCode } from '../../model/fault.ts';
import { assertJson, type Json } from '../../model/json.ts';
import { Name } from '../../model/name.ts';
import { isPlainPlan } from '../../model/plain-plan.ts';
import { Plan } from '../../model/plan.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { Problem } from '../../model/problem.ts';
import { isProven } from '../../model/take-json.ts';
import { type PlanNaming, readCapabilityPlan } from './capability-plan.ts';

const STEPS_MAX = 10_000;

const UNNAMED: PlanNaming = Object.freeze({ planId: 'plan_1', intent: 'task' });

export type ReadPlan = { readonly plan: Plan } | { readonly plan: null; readonly problems: readonly Problem[] };

/** Whatever a planner returned, as a typed plan or as the list of reasons why it is none. */
export function readPlan(given: unknown, naming: PlanNaming = UNNAMED): ReadPlan {
  try {
    const count = countSteps(given);
    if (count > STEPS_MAX)
      return refuse('plan_too_large', '/steps', `a plan has at most ${STEPS_MAX} steps, this one has ${count}`);
    if (!isProven(given)) assertJson(given);
    if (typeof given === 'string') return refuse('plan_untyped', '', textInsteadOfPlan(given));
    const typed = isPlainPlan(given) ? asPlan(given) : readTyped(given, naming);
    const { plan } = typed;
    if (plan === null) return typed;
    if (plan.steps.length === 0 && (plan.subtasks ?? []).length === 0 && plan.answer === undefined)
      return refuse('plan_untyped', '/steps', 'a plan has at least one step');
    return { plan };
  } catch (error) {
    // Not JSON at all: too deep, too large, a forbidden key, or an object whose own code runs when it is read.
    if (Fault.is(error)) return refuse(error.code, error.path ?? '', error.message);
    return refuse('plan_untyped', '', 'the proposal could not be read');
  }
}

/** In the words of tools or in those of capabilities, held to the schema of plans. */
function readTyped(given: Json, naming: PlanNaming): ReadPlan {
  const capabilities = readCapabilityPlan(given, naming);
  if (capabilities.kind === 'untyped') return { plan: null, problems: capabilities.problems };
  const proposed = capabilities.kind === 'read' ? capabilities.plan : given;
  const read = isPlainPlan(proposed) ? null : Plan.safeParse(proposed);
  if (read?.success !== false) return asPlan(proposed);
  return { plan: null, problems: read.error.issues.map((issue) => toProblem(proposed, issue)) };
}

/** The schema neither adds nor changes anything, so the proposal itself is the plan and need not be copied. */
const asPlan = (proposed: Json): ReadPlan => ({ plan: proposed as unknown as Plan });

const QUOTED_MAX = 120;

/** Quoted, so that whoever looks into it sees an error page, a refusal or an answer that was cut off for what it is. */
const textInsteadOfPlan = (text: string): string =>
  `the planner returned text and no plan: ${JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text)}`;

function countSteps(proposed: unknown): number {
  if (typeof proposed !== 'object' || proposed === null || !Object.hasOwn(proposed, 'steps')) return 0;
  const { steps } = proposed as { readonly steps: unknown };
  return Array.isArray(steps) ? steps.length : 0;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A planner that is asked again knows its steps by id and not by number. */
function toProblem(proposed: unknown, { path, message }: Issue): Problem {
  const pointer = path.map((part) => pointerToken(String(part))).join('');
  const id = path[0] === 'steps' && typeof path[1] === 'number' ? stepId(proposed, path[1]) : null;
  if (id === null) return { code: 'plan_untyped', path: pointer, message };
  return { code: 'plan_untyped', path: pointer, message: `step ${id}: ${message}`, step_id: id };
}

function stepId(proposed: unknown, index: number): string | null {
  const { steps } = proposed as { readonly steps: readonly unknown[] };
  const step = steps[index];
  if (typeof step !== 'object' || step === null || !Object.hasOwn(step, 'id')) return null;
  const id = Name.safeParse((step as { readonly id: unknown }).id);
  return id.success ? id.data : null;
}

function refuse(code: FaultCode, path: string, message: string): ReadPlan {
  return { plan: null, problems: [{ code, path, message }] };
}
