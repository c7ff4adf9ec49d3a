import { isJsonList, type Json, type JsonObject } from './json.ts';

/**
 * The same value without a zero below zero. JavaScript tells the two apart and no JSON text does: what is hashed, stored
 * and approved is 0, so that is what is sent. Whatever holds none is returned as it is.
 */
export function plainZeros<T extends Json>(value: T): T {
  return (holdsMinusZero(value) ? plain(value) : value) as T;
}

/** Asked of the arguments of every call and nearly always answered with no, so it looks and makes nothing. */
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
