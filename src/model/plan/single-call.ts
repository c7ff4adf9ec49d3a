import type { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { JsonRecord } from '../json/json-value.ts';
import { Name } from '../json/name.ts';
import { looksLikeBinding, type Plan } from './plan.ts';

/** A single tool call that is the entire run. There is no planner and no fallback. */
export interface SingleCall {
  readonly tool: string;
  readonly args: JsonObject;
}
export const SingleCall: z.ZodType<SingleCall> = exactObject({
  tool: Name,
  args: JsonRecord.refine((args) => !holdsBinding(args), 'must hold values only: no earlier step can be bound to'),
});

/** Detects bindings. The arguments must be literals, because a single call has no earlier step to bind to. */
function holdsBinding(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return looksLikeBinding(value) || Object.values(value).some(holdsBinding);
}

/** The id of the only step. */
export const CALL_STEP = 'call';

/** Builds the plan of a single call. All its values come from the requester. */
export function planOfCall({ tool, args }: SingleCall, intent: string): Plan {
  return { plan_id: 'single_call', intent, steps: [{ id: CALL_STEP, tool, params: args }], decision_checkpoints: [] };
}
