import { isJsonList, isJsonObject, type Json } from '../../../model/json/json.ts';
import { looksLikeBinding } from '../../../model/plan/plan.ts';

/** Collects the ids of the steps that a value binds to, at any depth. */
export function collectBoundSteps(value: Json, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const bound: boolean = looksLikeBinding(value);
  if (bound && isJsonObject(value)) {
    const from = value['$from'];
    if (typeof from === 'string') into.add(from);
    return;
  }
  for (const child of isJsonList(value) ? value : Object.values(value)) collectBoundSteps(child, into);
}
