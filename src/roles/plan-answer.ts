import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { PlanRequest } from '../ports/planner.ts';
import { withEnding } from './plan-ending.ts';
import { plainValue } from './schema/plain-value.ts';
import { withoutSettled } from './settled-dependencies.ts';

/**
 * What a model said, in the form of a plan where it is one: taken out of its wrapping, named, without the fillers that a
 * strict schema asks for and without waiting for what is done, and with the gates that its tools ask for anyway. Nothing
 * is added that it did not plan, save the ending. What is no plan stays what it is.
 */
export function planFrom(said: Json, request: PlanRequest): Json {
  const plan = unwrapped(said);
  if (plan === null) return said;
  const { steps, decision_checkpoints: checkpoints, ...rest } = withoutNulls(plan);
  const { goal, tools } = request;
  const read = {
    plan_id: `plan_${request.attempt}`,
    intent: goal.intent,
    ...rest,
    steps: isJsonList(steps)
      ? withoutSettled(
          steps.map((step) => stepFrom(step, request)),
          request.done,
        )
      : [],
    decision_checkpoints: checkpoints ?? [],
  };
  return withEnding(read, goal, tools);
}

/** Models like to put a plan into something, and to leave out what it is in. */
export function unwrapped(said: Json): JsonObject | null {
  if (isJsonList(said)) return said.some(isStep) || said.length === 0 ? { steps: said } : null;
  if (!isJsonObject(said)) return null;
  if (isJsonList(said['steps']) || (typeof said['answer'] === 'string' && said['kind'] === undefined)) return said;
  const inner = said['plan'] ?? said['execution_plan'];
  return inner === undefined ? null : unwrapped(inner);
}

const isStep = (value: Json): boolean =>
  isJsonObject(value) && (Object.hasOwn(value, 'tool') || Object.hasOwn(value, 'capability'));

export function stepFrom(step: Json, { tools, decisions }: PlanRequest): Json {
  if (!isJsonObject(step)) return step;
  const { params, ...plain } = withoutNulls(step);
  const name = plain['tool'] ?? plain['capability'];
  const tool = tools.find((each) => each.name === name);
  const taken = params === undefined ? {} : { params: paramsFrom(params, tool) };
  const approvals = decisions.filter(({ actions }) => actions.includes(String(name))).flatMap((each) => each.approvals);
  const gates = [...(tool?.gates ?? []), ...approvals];
  return { ...plain, ...taken, ...(gates.length === 0 ? {} : { requires: requiring(plain['requires'], gates) }) };
}

/** Gates stand in the registry whatever a plan says; a model that forgets to repeat them has planned nothing wrong. */
function requiring(named: Json | undefined, gates: readonly string[]): readonly Json[] {
  return [...new Set([...(isJsonList(named) ? named : []), ...gates])];
}

function paramsFrom(params: Json, tool: ToolSpec | undefined): Json {
  const written = typeof params === 'string' ? asJson(params) : params;
  return tool === undefined ? written : plainValue(written, tool.input_schema, tool.input_schema);
}

function asJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const withoutNulls = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
