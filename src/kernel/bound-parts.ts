import { isJsonList, type Json } from '../model/json.ts';
import { Binding, looksLikeBinding } from '../model/plan.ts';
import type { RunState } from './state.ts';

/** The places in what a step answers that later steps of the plan are bound to, in a fixed order. */
export function boundParts({ planning }: RunState, stepId: string): readonly string[] {
  const places = new Set<string>();
  for (const { params } of planning.active?.plan.steps ?? []) if (params !== undefined) collect(params, stepId, places);
  return [...places].toSorted();
}

function collect(value: Json, stepId: string, places: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const bound: boolean = looksLikeBinding(value);
  if (!bound) {
    for (const child of isJsonList(value) ? value : Object.values(value)) collect(child, stepId, places);
    return;
  }
  const read = Binding.safeParse(value);
  if (read.success && read.data.$from === stepId) places.add(read.data.path);
}
