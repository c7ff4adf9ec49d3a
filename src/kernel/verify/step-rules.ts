import type { DecisionSpec } from '../../model/critic/decision.ts';
import type { FaultCode } from '../../model/fault/fault.ts';
import { type ApprovalMode, compareModes } from '../../model/gate/approval-mode.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import type { Problem } from '../../model/json/problem.ts';
import type { PlanStep } from '../../model/plan/plan.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { CommittedSteps } from './verify-context.ts';

/** The stricter of the step's and the tool's approval mode. */
export function effectiveMode(
  step: Pick<PlanStep, 'approval_mode'>,
  spec: Pick<ToolSpec, 'approval_mode'>,
): ApprovalMode {
  const declared = step.approval_mode;
  return declared !== undefined && compareModes(declared, spec.approval_mode) > 0 ? declared : spec.approval_mode;
}

type Catalog = ReadonlyMap<string, DecisionSpec>;

/** Indexes the decisions by the tools they govern. */
export function decisionsByTool(catalog: Catalog): ReadonlyMap<string, readonly DecisionSpec[]> {
  const governing = new Map<string, DecisionSpec[]>();
  for (const decision of catalog.values()) {
    for (const tool of new Set(decision.actions)) {
      const decisions = governing.get(tool);
      if (decisions === undefined) governing.set(tool, [decision]);
      else decisions.push(decision);
    }
  }
  return governing;
}

/** The score that a result must reach: the rubric's threshold, or a stricter one of a governing decision. */
export function acceptThreshold(catalog: Catalog, tool: string, usual: number): number {
  let accept = usual;
  for (const { actions, accept_threshold } of catalog.values()) {
    if (accept_threshold > accept && actions.includes(tool)) accept = accept_threshold;
  }
  return accept;
}

/** True if both steps have the same id, tool and params, and the same inputs if the tool receives them. */
export function sameCall(a: PlanStep, b: PlanStep, inputsDelivered: boolean): boolean {
  const isSame = a.id === b.id && a.tool === b.tool && sameJson(a.params ?? {}, b.params ?? {});
  return isSame && (!inputsDelivered || sameJson(a.inputs ?? NONE, b.inputs ?? NONE));
}

const NONE: readonly string[] = Object.freeze([]);

/** Whether the run has committed exactly this step, so that it does not run again. */
export function isDone(step: PlanStep, { committed, inputsDelivered = false }: CommittedSteps): boolean {
  const before = committed.get(step.id);
  return before !== undefined && sameCall(before.step, step, inputsDelivered);
}

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
