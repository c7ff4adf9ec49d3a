import { isJsonList, type Json, type JsonObject } from './json.ts';

/**
 * Replaces every negative zero with 0. JSON text does not distinguish them: 0 is hashed, stored and approved, so 0 must
 * be sent. A value without negative zero is returned itself.
 */
export function plainZeros<T extends Json>(value: T): T {
  return (holdsMinusZero(value) ? plain(value) : value) as T;
}

/** Checks for a negative zero without allocating, because it runs for the arguments of every call. */
function holdsMinusZero(value: Json): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonList(value)) return value.some(holdsMinusZero);
  for (const key in value) if (holdsMinusZero(value[key] ?? null)) return true;
  return false;
}

function plain(value: Json): Json {
  if (value === 0) return 0;
  if (!holdsMinusZero(value) || typeof value !== 'object' || value === null) return value;
  return isJsonList(value) ? value.map(plain) : plainObject(value);
}

const plainObject = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, plain(value)]));
