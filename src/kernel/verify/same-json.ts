import type { Json } from '../../model/json.ts';

/** Equal meaning: the order of keys says nothing. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  if (left.length !== Object.keys(b).length) return false;
  const right = b as Readonly<Record<string, Json>>;
  return left.every(([key, value]) => Object.hasOwn(right, key) && sameJson(value, right[key] ?? null));
}
