import { z } from 'zod';
import type { Json, JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name } from './name.ts';
import { looksLikeBinding, type Plan } from './plan.ts';

/** One call of one tool, which is all that its run is for: nobody plans it, and nothing else is tried in its place. */
export interface SingleCall {
  readonly tool: string;
  readonly args: JsonObject;
}
export const SingleCall: z.ZodType<SingleCall> = z.strictObject({
  tool: Name,
  args: JsonRecord.refine((args) => !holdsBinding(args), 'must hold values only: no earlier step can be bound to'),
});

/** Values are only ever values: what reads like a part of a plan would be followed as one. */
function holdsBinding(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return looksLikeBinding(value) || Object.values(value).some(holdsBinding);
}

/** The one step of its plan. */
export const CALL_STEP = 'call';

/** The plan that such a run follows. Every value of it is the requester's. */
export function planOfCall({ tool, args }: SingleCall, intent: string): Plan {
  return { plan_id: 'single_call', intent, steps: [{ id: CALL_STEP, tool, params: args }], decision_checkpoints: [] };
}
