import type { Goal } from '../model/goal.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { ToolSpec } from '../model/tool.ts';

const OBJECTIVE_MAX = 10_000;

/**
 * Every plan ends by telling the user or by asking. One that does neither gets a step that tells, made from the task;
 * one without any steps becomes that step. A plan that is the answer itself needs none.
 */
export function withEnding(plan: JsonObject, goal: Goal, tools: readonly ToolSpec[]): JsonObject {
  const steps = plan['steps'];
  const ending = tools.find(({ speaks }) => speaks === 'respond');
  // A host that has a tool of its own under that name has its own way to end a plan.
  if (!isJsonList(steps) || ending === undefined || isAnswer(plan) || ends(steps.at(-1))) return plan;
  return { ...plan, steps: [...steps, genericRespond(steps, ending.name, goal)] };
}

const isAnswer = ({ answer }: JsonObject): boolean => typeof answer === 'string' && answer.trim() !== '';

/** In any letter case. */
function ends(last: Json | undefined): boolean {
  const name = isJsonObject(last) ? (last['tool'] ?? last['capability']) : null;
  return typeof name === 'string' && ['respond', 'clarify'].includes(name.toLowerCase());
}

function genericRespond(steps: readonly Json[], tool: string, { statement }: Goal): JsonObject {
  const objective = statement.slice(0, OBJECTIVE_MAX).toWellFormed();
  const spoken = { task_objective: objective, params: { objective } };
  const capabilities = steps.some((step) => isJsonObject(step) && Object.hasOwn(step, 'capability'));
  const id = freeName(steps);
  return capabilities ? { context_key: id, capability: tool, ...spoken } : { id, tool, ...spoken };
}

/** A name that no other step has. */
function freeName(steps: readonly Json[]): string {
  const taken = new Set(steps.flatMap((step) => (isJsonObject(step) ? [step['id'], step['context_key']] : [])));
  for (let place = 1; ; place += 1) {
    const name = place === 1 ? 'respond' : `respond_${place}`;
    if (!taken.has(name)) return name;
  }
}
