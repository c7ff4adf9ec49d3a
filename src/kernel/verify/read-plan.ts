import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { assertJson, isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { Name } from '../../model/json/name.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import type { Problem } from '../../model/json/problem.ts';
import { isProven } from '../../model/json/take-json.ts';
import { isPlainPlan } from '../../model/plan/parse-plan.ts';
import { Plan } from '../../model/plan/plan.ts';

/** Names for a plan without its own. */
export interface PlanNaming {
  readonly planId: string;
  readonly intent: string;
}

type CapabilityPlan =
  | { readonly kind: 'other' }
  | { readonly kind: 'read'; readonly plan: JsonObject }
  | { readonly kind: 'untyped'; readonly problems: readonly Problem[] };

/**
 * Reads a plan in capability style, whose steps have `context_key` and `capability` instead of `id` and `tool`. The key
 * serves as the id, because no two steps may fill the same key.
 */
function readCapabilityPlan(proposed: Json, naming: PlanNaming): CapabilityPlan {
  if (!isJsonObject(proposed) || !isJsonList(proposed['steps'])) return { kind: 'other' };
  const { steps } = proposed;
  if (!steps.some(isCapabilityStep)) return { kind: 'other' };
  const problems = steps.flatMap(findMissingFields);
  if (problems.length > 0) return { kind: 'untyped', problems };
  const named = { plan_id: naming.planId, intent: naming.intent, decision_checkpoints: [] };
  return { kind: 'read', plan: { ...named, ...proposed, steps: steps.map(toStep) } };
}

function isCapabilityStep(step: Json): boolean {
  if (!isJsonObject(step)) return false;
  return Object.hasOwn(step, 'capability') || (Object.hasOwn(step, 'context_key') && !Object.hasOwn(step, 'tool'));
}

function findMissingFields(step: Json, index: number): readonly Problem[] {
  return ['context_key', 'capability'].flatMap((field) =>
    isJsonObject(step) && Object.hasOwn(step, field)
      ? []
      : [{ code: 'plan_untyped' as const, path: `/steps/${index}/${field}`, message: `step ${index} has no ${field}` }],
  );
}

/** Keeps all other fields; the schema refuses unknown ones later. */
function toStep(step: Json): Json {
  if (!isJsonObject(step)) return step;
  const { capability, ...rest } = step;
  return { id: rest['context_key'] ?? null, ...rest, tool: capability ?? null };
}

const STEPS_MAX = 10_000;

const UNNAMED: PlanNaming = Object.freeze({ planId: 'plan_1', intent: 'task' });

type ReadPlan = { readonly plan: Plan } | { readonly plan: null; readonly problems: readonly Problem[] };

/** Reads a planner's return value as a typed plan, or returns its problems. */
export function readPlan(returned: unknown, naming: PlanNaming = UNNAMED): ReadPlan {
  try {
    const count = countSteps(returned);
    if (count > STEPS_MAX)
      return refuse('plan_too_large', '/steps', `a plan has at most ${STEPS_MAX} steps, this one has ${count}`);
    if (!isProven(returned)) assertJson(returned);
    if (typeof returned === 'string') return refuse('plan_untyped', '', textInsteadOfPlan(returned));
    const typed = isPlainPlan(returned) ? asPlan(returned) : readTyped(returned, naming);
    const { plan } = typed;
    if (plan === null) return typed;
    const isReply = plan.answer !== undefined || plan.reply !== undefined;
    if (plan.steps.length === 0 && (plan.subtasks ?? []).length === 0 && !isReply)
      return refuse('plan_untyped', '/steps', 'a plan has at least one step');
    return { plan };
  } catch (error) {
    // Not valid JSON: too deep, too large, a forbidden key, or an object whose own code runs when it is read.
    if (Fault.is(error)) return refuse(error.code, error.path ?? '', error.message);
    return refuse('plan_untyped', '', 'the proposal could not be read');
  }
}

/** Reads a plan in tool or capability style, by the schema of plans. */
function readTyped(returned: Json, naming: PlanNaming): ReadPlan {
  const capabilities = readCapabilityPlan(returned, naming);
  if (capabilities.kind === 'untyped') return { plan: null, problems: capabilities.problems };
  const proposed = capabilities.kind === 'read' ? capabilities.plan : returned;
  const read = isPlainPlan(proposed) ? null : Plan.safeParse(proposed);
  if (read?.success !== false) return asPlan(proposed);
  return { plan: null, problems: read.error.issues.map((issue) => toProblem(proposed, issue)) };
}

/** The schema changes nothing, so the proposal itself is the plan and is not copied. */
const asPlan = (proposed: Json): ReadPlan => ({ plan: proposed as unknown as Plan });

const QUOTED_MAX = 120;

/** Quotes the text, so that an error page, a refusal or a truncated answer can be recognised. */
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

/** Names the step by its id, because a planner knows its steps by id and not by index. */
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
