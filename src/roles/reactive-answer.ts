import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { PlanRequest } from '../ports/planner.ts';
import { stepFrom, unwrapped } from './plan-answer.ts';

/** What a model has said when it was asked for the next step. Everything but a step is proposed as a plan of none. */
export type Decision =
  | { readonly kind: 'step' | 'none'; readonly proposal: JsonObject }
  | { readonly kind: 'read'; readonly proposal: JsonObject; readonly key: string; readonly path: string };

/** Reads a decision, however it is dressed up: a plan of one step, a list, or the bare step. */
export function readDecision(request: PlanRequest, said: Json | undefined): Decision {
  const plan = said === undefined ? null : (unwrapped(said) ?? bareStep(said));
  const steps = plan?.['steps'];
  const [first, ...others] = isJsonList(steps) ? steps : [];
  const number = request.history.filter(({ kind }) => kind === 'decision').length + 1;
  const named = { plan_id: `decision_${number}`, intent: request.goal.intent };
  const nothing = { ...named, steps: [], decision_checkpoints: [] };
  if (first !== undefined && plan !== null) {
    const id = `r${number}`;
    // What else was planned is proposed as it came: that it was not taken is for the record.
    const taken = [identified(request, first, id), ...others];
    return { kind: 'step', proposal: { ...named, steps: taken, decision_checkpoints: checkpoints(plan, first, id) } };
  }
  const answer = plan?.['answer'];
  if (request.mayAnswer && typeof answer === 'string') return { kind: 'step', proposal: { ...nothing, answer } };
  const wanted = isJsonObject(said) ? said['read'] : undefined;
  const { key, path = '' } = isJsonObject(wanted) ? wanted : {};
  if (typeof key !== 'string' || typeof path !== 'string') return { kind: 'none', proposal: nothing };
  return { kind: 'read', proposal: nothing, key, path };
}

const bareStep = (said: Json): JsonObject | null =>
  isJsonObject(said) && (Object.hasOwn(said, 'tool') || Object.hasOwn(said, 'capability')) ? { steps: [said] } : null;

/** Steps of one run are told apart by their number, whatever a model calls them; what each brings has a key. */
function identified(request: PlanRequest, said: Json, id: string): Json {
  const step = stepFrom(said, request);
  if (!isJsonObject(step)) return step;
  const { params } = step;
  const bound = params === undefined ? {} : { params: boundToSteps(params, fillers(request)) };
  return { context_key: id, ...step, ...bound, id };
}

/** Decisions that are to be settled once the step is done, whatever it was called. */
function checkpoints(plan: JsonObject, first: Json, id: string): Json {
  const named = plan['decision_checkpoints'];
  const called = isJsonObject(first) ? (first['id'] ?? first['context_key']) : undefined;
  if (!isJsonList(named)) return named ?? [];
  return named.map((checkpoint) =>
    isJsonObject(checkpoint) && checkpoint['after_step'] === called ? { ...checkpoint, after_step: id } : checkpoint,
  );
}

/** The step that filled each context key last: what a model means that binds to the key. */
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
