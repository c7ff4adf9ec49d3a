import { isJsonList, isJsonObject, type JsonObject } from '../model/json.ts';
import type { PlanRequest } from '../ports/planner.ts';
import { type PlanSchema, planSchemas } from './plan-schema.ts';
import { closed, orNull } from './schema/portable.ts';

const READING: JsonObject = closed({
  key: { type: 'string', description: 'a context key' },
  path: { type: 'string', description: 'JSON Pointer into what it holds; empty for all of it' },
});

/** Schemas of a decision: those of a plan, in which the step is one of one, or nothing and something to be looked up. */
export function decisionSchemas(request: PlanRequest): readonly PlanSchema[] {
  const schemas = planSchemas(request);
  return request.done.length === 0 ? schemas : schemas.map(withReading);
}

function withReading({ name, json }: PlanSchema): PlanSchema {
  const { properties, required } = json;
  if (!isJsonObject(properties) || !isJsonList(required)) return { name, json };
  const read = { ...properties, read: orNull({ ...READING, description: 'instead of a step' }) };
  return { name, json: { ...json, properties: read, required: [...required, 'read'] } };
}
