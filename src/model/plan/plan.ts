import { z } from 'zod';
import { guardInput } from '../fault/guard-input.ts';
import { ApprovalMode } from '../gate/approval-mode.ts';
import { exactObject, JsonRecord, JsonValue } from '../json/exact.ts';
import { holdsObject, isJsonList, type Json, type JsonObject } from '../json/json.ts';
import { Name, Statement, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';

/**
 * A reference to a value that an earlier step will commit: `{ "$from": "s1", "path": "/order/total" }` (JSON Pointer).
 */
export interface Binding {
  readonly $from: string;
  readonly path: string;
}
export const Binding: z.ZodType<Binding> = exactObject({
  $from: Name,
  path: Pointer,
});

/** A part of a plan that the runtime replaces by a value: a binding, a draft, or a slot of a template. */
export type PlanForm = 'binding' | 'draft' | 'slot';

/** The key that makes an object a form. */
const FORM_KEYS: readonly (readonly [key: string, form: PlanForm])[] = [
  ['$from', 'binding'],
  ['$draft', 'draft'],
  ['$slot', 'slot'],
];

/**
 * The form that a part of a plan is; null for a value. Only this function decides, and only plans are read with it:
 * values of inputs, observations and memory are never forms (ADR 0081). A malformed form is a form too, so that it does
 * not pass as a value.
 */
export function planForm(value: Json): PlanForm | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, form] of FORM_KEYS) if (Object.hasOwn(value, key)) return form;
  return null;
}

export const looksLikeBinding: (value: Json) => value is JsonObject = guardInput(
  'looksLikeBinding',
  (value: Json): value is JsonObject => planForm(value) === 'binding',
);

/** A context key, or a map from context type to key. */
export type PlanInput = string | Readonly<Record<string, string>>;

/** One planned call. `params` may hold bindings at any depth. */
export interface PlanStep {
  readonly id: string;
  readonly tool: string;
  readonly params?: JsonObject;
  readonly depends_on?: readonly string[];
  readonly approval_mode?: ApprovalMode;
  readonly requires?: readonly string[];
  readonly context_key?: string;
  readonly task_objective?: string;
  readonly expected_output?: string;
  readonly success_criteria?: string;
  readonly inputs?: readonly PlanInput[];
  /** If an optional step fails, the run can still end in PARTIAL_SUCCESS. */
  readonly optional?: boolean;
  /** Ids of observations or evidence that justify the step. */
  readonly because?: readonly string[];
}
export const PlanStep: z.ZodType<PlanStep> = exactObject({
  id: Name,
  tool: Name,
  params: JsonRecord.exactOptional(),
  depends_on: z.array(Name).exactOptional(),
  approval_mode: ApprovalMode.exactOptional(),
  requires: z.array(Name).exactOptional(),
  context_key: Name.exactOptional(),
  task_objective: Text.exactOptional(),
  expected_output: Text.exactOptional(),
  success_criteria: Text.exactOptional(),
  inputs: z.array(z.union([Name, z.record(Name, Name)])).exactOptional(),
  optional: z.boolean().exactOptional(),
  because: z.array(Name).exactOptional(),
});

/** A point at which the run must satisfy a decision of the catalogue before it continues. */
export interface DecisionCheckpoint {
  readonly decision_id: string;
  readonly after_step: string;
}
export const DecisionCheckpoint: z.ZodType<DecisionCheckpoint> = exactObject({
  decision_id: Name,
  after_step: Name,
});

/** An assumption of the plan. The value that the named step commits at `path` can disprove it. */
export interface Assumption {
  readonly id: string;
  readonly statement: string;
  readonly step: string;
  readonly path: string;
  readonly equals: Json;
}
export const Assumption: z.ZodType<Assumption> = exactObject({
  id: Name,
  statement: Text,
  step: Name,
  path: Pointer,
  equals: JsonValue,
});

/** A part of the goal that is planned separately. It is identified by the signature of goal and criteria. */
export interface Subtask {
  readonly id: string;
  readonly goal: string;
  readonly completion_criteria: readonly string[];
  readonly depends_on?: readonly string[];
  readonly depth: number;
}
export const Subtask: z.ZodType<Subtask> = exactObject({
  id: Name,
  goal: Text,
  completion_criteria: z.array(Text),
  depends_on: z.array(Name).exactOptional(),
  depth: z.int().nonnegative(),
});

/**
 * A reply instead of steps: a courtesy, a refusal of a message that is off topic, or the statement that no tool can do
 * the requested action.
 */
export interface PlanReply {
  readonly kind: 'answer' | 'decline' | 'impossible';
  readonly text: string;
  /** Whether the message asks for an action, as the model reads it. A refusal of an action is no success. */
  readonly action_requested?: boolean;
}
export const PlanReply: z.ZodType<PlanReply> = exactObject({
  kind: z.enum(['answer', 'decline', 'impossible']),
  text: Statement,
  action_requested: z.boolean().exactOptional(),
});

/** The only output a planner may produce. */
export interface Plan {
  readonly plan_id: string;
  readonly intent: string;
  readonly steps: readonly PlanStep[];
  readonly decision_checkpoints: readonly DecisionCheckpoint[];
  readonly assumptions?: readonly Assumption[];
  readonly subtasks?: readonly Subtask[];
  /** The model's own answer instead of steps. Only permitted for tasks that need no tool. */
  readonly answer?: string;
  /** The reply to a message that needs no tool, instead of steps. Only its courtesies are shown. */
  readonly reply?: PlanReply;
  /** The text that a model wrote beside its steps. It is shown to the model again and never released. */
  readonly draft?: string;
  /** The output of the run, if the agent declares one: bindings at any depth, as in `params`. */
  readonly output?: Json;
}
export const Plan: z.ZodType<Plan> = exactObject({
  plan_id: Name,
  intent: Name,
  steps: z.array(PlanStep),
  decision_checkpoints: z.array(DecisionCheckpoint),
  assumptions: z.array(Assumption).exactOptional(),
  subtasks: z.array(Subtask).exactOptional(),
  answer: Statement.exactOptional(),
  reply: PlanReply.exactOptional(),
  draft: Statement.exactOptional(),
  output: JsonValue.exactOptional(),
});

/**
 * A value that a model writes when its step is due: `{ "$draft": "a short apology", "using": [ … ] }`. The model sees
 * only this instruction and the values in `using` (literals or bindings), and nothing else from the run.
 */
export interface Draft {
  readonly $draft: string;
  readonly using?: readonly Json[];
}

const USING_MAX = 20;

export const Draft: z.ZodType<Draft> = exactObject({
  $draft: Statement,
  using: z.array(JsonValue).max(USING_MAX).exactOptional(),
});

export const looksLikeDraft: (value: Json) => value is JsonObject = guardInput(
  'looksLikeDraft',
  (value: Json): value is JsonObject => planForm(value) === 'draft',
);

/**
 * True if the value contains a binding or a draft. A requester's values may hold neither: only a plan may. It runs for
 * the arguments of every call, so it has no callback.
 */
export function hasPlaceholder(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonList(value)) return value.some(hasPlaceholder);
  const form = planForm(value);
  if (form === 'binding' || form === 'draft') return true;
  for (const key in value) if (hasPlaceholder(value[key] ?? null)) return true;
  return false;
}

export const hasBinding = (value: Json): boolean => hasPlaceholder(value) && holdsObject(value, looksLikeBinding);
export const hasDraft = (value: Json): boolean => hasPlaceholder(value) && holdsObject(value, looksLikeDraft);

/** One value to be drafted: its place in the arguments, the instruction, and the source values. */
export interface DraftTask {
  /** JSON Pointer into the params of the step. */
  readonly pointer: string;
  readonly instruction: string;
  readonly using: readonly Json[];
}

/** The drafted values, by JSON Pointer into the params of the step. */
export type Drafts = Readonly<Record<string, Json>>;

/** The objects in a value that a plan would read as forms. */
export function formsIn(value: Json): readonly JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.values(value).flatMap(formsIn);
  return isJsonList(value) || planForm(value) === null ? within : [value, ...within];
}
