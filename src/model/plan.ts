import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import type { Json, JsonObject } from './json.ts';
import { JsonRecord, JsonValue } from './json-schema.ts';
import { Name, Statement, Text } from './name.ts';
import { Pointer } from './pointer.ts';

/** A value that an earlier step will commit: `{ "$from": "s1", "path": "/order/total" }` (JSON Pointer). */
export interface Binding {
  readonly $from: string;
  readonly path: string;
}
export const Binding: z.ZodType<Binding> = z.strictObject({
  $from: Name,
  path: Pointer,
});

/** True for a well-formed binding and for anything that tries to be one, so that no half-binding passes as a literal. */
export function looksLikeBinding(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '$from');
}

/** An input names a context key, or a context type and the key that holds it. */
export type PlanInput = string | Readonly<Record<string, string>>;

/** One intended call. `params` may hold bindings at any depth. */
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
  /** A step whose failure leaves the primary goal reachable: the run may still end in PARTIAL_SUCCESS. */
  readonly optional?: boolean;
  /** Ids of observations or evidence that justify the step. */
  readonly because?: readonly string[];
}
export const PlanStep: z.ZodType<PlanStep> = z.strictObject({
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

/** Where the run must stop and satisfy a decision of the catalogue before it goes on. */
export interface DecisionCheckpoint {
  readonly decision_id: string;
  readonly after_step: string;
}
export const DecisionCheckpoint: z.ZodType<DecisionCheckpoint> = z.strictObject({
  decision_id: Name,
  after_step: Name,
});

/** Something the plan takes for granted; disproved by what the named step's tool commits at `path`. */
export interface Assumption {
  readonly id: string;
  readonly statement: string;
  readonly step: string;
  readonly path: string;
  readonly equals: Json;
}
export const Assumption: z.ZodType<Assumption> = z.strictObject({
  id: Name,
  statement: Text,
  step: Name,
  path: Pointer,
  equals: JsonValue,
});

/** A part of the goal that is planned on its own. Identity is the signature of goal and criteria. */
export interface Subtask {
  readonly id: string;
  readonly goal: string;
  readonly completion_criteria: readonly string[];
  readonly depends_on?: readonly string[];
  readonly depth: number;
}
export const Subtask: z.ZodType<Subtask> = z.strictObject({
  id: Name,
  goal: Text,
  completion_criteria: z.array(Text),
  depends_on: z.array(Name).exactOptional(),
  depth: z.int().nonnegative(),
});

/** What a Planner may produce, and all it may produce. */
export interface Plan {
  readonly plan_id: string;
  readonly intent: string;
  readonly steps: readonly PlanStep[];
  readonly decision_checkpoints: readonly DecisionCheckpoint[];
  readonly assumptions?: readonly Assumption[];
  readonly subtasks?: readonly Subtask[];
  /** What the model says itself, instead of steps. Only where the task is one that needs no tool. */
  readonly answer?: string;
}
export const Plan: z.ZodType<Plan> = z.strictObject({
  plan_id: Name,
  intent: Name,
  steps: z.array(PlanStep),
  decision_checkpoints: z.array(DecisionCheckpoint),
  assumptions: z.array(Assumption).exactOptional(),
  subtasks: z.array(Subtask).exactOptional(),
  answer: Statement.exactOptional(),
});
