import type { FaultCode } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PlanStep } from '../../model/plan.ts';
import type { Problem } from '../../model/problem.ts';

/** A step and its place in the plan: what a problem with it has to name. */
export interface Placed {
  readonly step: PlanStep;
  readonly index: number;
}

/** `below` is a JSON Pointer inside the step. */
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
