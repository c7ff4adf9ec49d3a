import type { PlanStep } from '../../model/plan.ts';
import { sameJson } from './same-json.ts';

/** Two steps of one id that ask the same of the same tool, whatever else is said about them. */
export function sameCall(a: PlanStep, b: PlanStep): boolean {
  return a.id === b.id && a.tool === b.tool && sameJson(a.params ?? {}, b.params ?? {});
}
