import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import type { Goal } from '../model/plan/goal.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { DoneStep, PlanRequest } from '../ports/model/planner.ts';
import { asJson, directEnd, draftText, ends, isReply, refusalIn, textFrom, withoutReply } from './plan-reply.ts';
import { fromPortableValue } from './schema/portable.ts';

/**
 * Normalizes a model's answer to a plan: unwraps it, names it, drops the nulls of strict schemas and the dependencies
 * on finished steps, and adds the gates that its tools require. Adds no step except the ending. An answer that is no
 * plan is returned unchanged.
 */
export function planFrom(response: Json, request: PlanRequest): Json {
  const plan = typeof response === 'string' ? refusalIn(response, request) : unwrapPlan(response);
  if (plan === null) return response;
  const {
    steps,
    decision_checkpoints: checkpoints,
    answer,
    decline: _decline,
    impossible: _impossible,
    output,
    draft: _draft,
    ...rest
  } = withoutNulls(plan);
  const { goal, tools } = request;
  const ended = directEnd(plan, request);
  const hasSteps = isJsonList(steps) && steps.length > 0;
  const text = hasSteps
    ? draftFrom(draftText(plan))
    : { ...(answer === undefined ? {} : { answer: draftText({ answer }) }) };
  const read = {
    plan_id: `plan_${request.attempt}`,
    intent: goal.intent,
    ...rest,
    ...(ended ?? text),
    steps:
      isJsonList(steps) && ended === null
        ? withoutSettled(
            steps.map((step) => stepFrom(step, request)),
            request.done,
          )
        : [],
    decision_checkpoints: checkpoints ?? [],
    ...(ended === null ? outputFrom(output, request) : {}),
  };
  return withEnding(read, goal, tools);
}

/** The text beside the steps of a plan, kept as a draft; nothing if there is none. */
export function draftFrom(text: Json | undefined): { readonly draft?: string } {
  const draft = textFrom(text);
  return draft === '' ? {} : { draft };
}

/** The plan object in a bare list or a wrapper such as `{ plan: { steps: […] } }`; null if there is none. */
export function unwrapPlan(answer: Json): JsonObject | null {
  if (isJsonList(answer)) return answer.some(isStep) || answer.length === 0 ? { steps: answer } : null;
  if (!isJsonObject(answer)) return null;
  if (isJsonList(answer['steps']) || isReply(answer)) return withoutReply(answer);
  const inner = answer['plan'] ?? answer['execution_plan'];
  return inner === undefined ? null : unwrapPlan(inner);
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

/** Adds the registry's gates to a step. They apply anyway, so a model that omits them has made no mistake. */
function requiring(named: Json | undefined, gates: readonly string[]): readonly Json[] {
  return [...new Set([...(isJsonList(named) ? named : []), ...gates])];
}

/** The output of a plan, converted back from the portable schema. */
export function outputFrom(output: Json | undefined, { output: schema }: PlanRequest): { readonly output?: Json } {
  if (output === undefined || output === null) return {};
  return { output: schema === undefined ? output : fromPortableValue(output, schema, schema) };
}

function paramsFrom(params: Json, tool: ToolSpec | undefined): Json {
  const written = typeof params === 'string' ? asJson(params) : params;
  return tool === undefined ? written : fromPortableValue(written, tool.input_schema, tool.input_schema);
}

const withoutNulls = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

const OBJECTIVE_MAX = 10_000;

/** Adds a final `respond` step to a plan that has no answer and ends with neither `respond` nor `clarify`. */
function withEnding(plan: JsonObject, goal: Goal, tools: readonly ToolSpec[]): JsonObject {
  const steps = plan['steps'];
  const ending = tools.find(({ speaks }) => speaks === 'respond');
  // Without the built-in `respond` tool the host ends plans in another form.
  if (!isJsonList(steps) || ending === undefined || isAnswer(plan) || ends(steps.at(-1))) return plan;
  return { ...plan, steps: [...steps, genericRespond(steps, ending.name, goal)] };
}

const isAnswer = ({ answer, reply }: JsonObject): boolean =>
  reply !== undefined || (typeof answer === 'string' && answer.trim() !== '');

function genericRespond(steps: readonly Json[], tool: string, { statement }: Goal): JsonObject {
  const objective = statement.slice(0, OBJECTIVE_MAX).toWellFormed();
  const spoken = { task_objective: objective, params: { objective } };
  const capabilities = steps.some((step) => isJsonObject(step) && Object.hasOwn(step, 'capability'));
  const id = freeName(steps);
  return capabilities ? { context_key: id, capability: tool, ...spoken } : { id, tool, ...spoken };
}

/** A step name that is not taken. */
function freeName(steps: readonly Json[]): string {
  const taken = new Set(steps.flatMap((step) => (isJsonObject(step) ? [step['id'], step['context_key']] : [])));
  for (let place = 1; ; place += 1) {
    const name = place === 1 ? 'respond' : `respond_${place}`;
    if (!taken.has(name)) return name;
  }
}

/** Drops dependencies on steps of earlier plans: they are done and not part of this plan. */
function withoutSettled(steps: readonly Json[], done: readonly DoneStep[]): readonly Json[] {
  if (done.length === 0) return steps;
  const planned = new Set(steps.map((step) => (isJsonObject(step) ? step['id'] : undefined)));
  const settled = new Set<Json>(done.map(({ step }) => step.id).filter((id) => !planned.has(id)));
  return steps.map((step) => {
    const named = isJsonObject(step) ? step['depends_on'] : undefined;
    if (!isJsonObject(step) || !isJsonList(named)) return step;
    const open = named.filter((id) => !settled.has(id));
    return open.length === named.length ? step : { ...step, depends_on: open };
  });
}
