import type { FaultCode } from '../../model/fault/fault.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PlanStep } from '../../model/plan/plan.ts';

/** A step and its index in the plan. */
export interface Placed {
  readonly step: PlanStep;
  readonly index: number;
}

/** Builds a problem of a step. `below` is a JSON Pointer inside the step. */
export function stepProblem(
  { step, index }: Placed,
  code: FaultCode,
  below: string,
  message: string,
  detail?: JsonObject,
): Problem {
  const problem = { code, path: `/steps/${index}${below}`, message: `step ${step.id}: ${message}`, step_id: step.id };
  return detail === undefined ? problem : { ...problem, detail };
}
