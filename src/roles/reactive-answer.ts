import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json/json.ts';
import type { PlanRequest } from '../ports/model/planner.ts';
import { stepFrom, unwrapPlan } from './plan-answer.ts';

/** A model's decision about the next step. A decision without a step is proposed as an empty plan. */
export type ReactiveDecision =
  | { readonly kind: 'step' | 'none'; readonly proposal: JsonObject }
  | { readonly kind: 'read'; readonly proposal: JsonObject; readonly key: string; readonly path: string };

/** Reads a decision from a plan with one step, a list of steps or a bare step. */
export function readDecision(request: PlanRequest, response: Json | undefined): ReactiveDecision {
  const plan = response === undefined ? null : (unwrapPlan(response) ?? bareStep(response));
  const steps = plan?.['steps'];
  const [first, ...others] = isJsonList(steps) ? steps : [];
  const number = request.history.filter(({ kind }) => kind === 'decision').length + 1;
  const named = { plan_id: `decision_${number}`, intent: request.goal.intent };
  const nothing = { ...named, steps: [], decision_checkpoints: [] };
  if (first !== undefined && plan !== null) {
    const id = `r${number}`;
    // Extra steps stay in the proposal, so that the journal shows that they were not taken.
    const taken = [identified(request, first, id), ...others];
    return { kind: 'step', proposal: { ...named, steps: taken, decision_checkpoints: checkpoints(plan, first, id) } };
  }
  const answer = plan?.['answer'];
  if (request.mayAnswer && typeof answer === 'string') return { kind: 'step', proposal: { ...nothing, answer } };
  const wanted = isJsonObject(response) ? response['read'] : undefined;
  const { key, path = '' } = isJsonObject(wanted) ? wanted : {};
  if (typeof key !== 'string' || typeof path !== 'string') return { kind: 'none', proposal: nothing };
  return { kind: 'read', proposal: nothing, key, path };
}

const bareStep = (response: Json): JsonObject | null =>
  isJsonObject(response) && (Object.hasOwn(response, 'tool') || Object.hasOwn(response, 'capability'))
    ? { steps: [response] }
    : null;

/** Gives a step its number as id and default context key, regardless of the name that the model chose. */
function identified(request: PlanRequest, response: Json, id: string): Json {
  const step = stepFrom(response, request);
  if (!isJsonObject(step)) return step;
  const { params } = step;
  const bound = params === undefined ? {} : { params: boundToSteps(params, fillers(request)) };
  return { context_key: id, ...step, ...bound, id };
}

/** The decision checkpoints, moved from the model's name of the step to its id. */
function checkpoints(plan: JsonObject, first: Json, id: string): Json {
  const named = plan['decision_checkpoints'];
  const called = isJsonObject(first) ? (first['id'] ?? first['context_key']) : undefined;
  if (!isJsonList(named)) return named ?? [];
  return named.map((checkpoint) =>
    isJsonObject(checkpoint) && checkpoint['after_step'] === called ? { ...checkpoint, after_step: id } : checkpoint,
  );
}

/** Maps each context key to the step that filled it last, so that bindings to a key become bindings to a step. */
function fillers({ done }: PlanRequest): ReadonlyMap<string, string> {
  const filled = done.flatMap(({ step: { id, context_key } }) =>
    context_key === undefined ? [] : [[context_key, id] as const],
  );
  const ids = new Set(done.map(({ step }) => step.id));
  return new Map(filled.filter(([key]) => !ids.has(key)));
}

function boundToSteps(value: Json, filledBy: ReadonlyMap<string, string>): Json {
  if (isJsonList(value)) return value.map((item) => boundToSteps(item, filledBy));
  if (!isJsonObject(value)) return value;
  const source = value['$from'];
  if (source === undefined) {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, boundToSteps(child, filledBy)]));
  }
  const filler = typeof source === 'string' ? filledBy.get(source) : undefined;
  return filler === undefined ? value : { ...value, $from: filler };
}
