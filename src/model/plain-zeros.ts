import { isJsonList, type Json, type JsonObject } from './json.ts';

/**
 * The same value without a zero below zero. JavaScript tells the two apart and no JSON text does: what is hashed, stored
 * and approved is 0, so that is what is sent. Whatever holds none is returned as it is.
 */
export function plainZeros<T extends Json>(value: T): T {
  return plain(value) as T;
}

function plain(value: Json): Json {
  if (value === 0) return 0;
  if (typeof value !== 'object' || value === null) return value;
  return isJsonList(value) ? plainList(value) : plainObject(value);
}

function plainList(list: readonly Json[]): readonly Json[] {
  const items = list.map(plain);
  return items.every((item, at) => Object.is(item, list[at])) ? list : items;
}

function plainObject(object: JsonObject): JsonObject {
  const fields = Object.entries(object).map(([key, value]) => [key, plain(value)] as const);
  return fields.every(([key, value]) => Object.is(value, object[key])) ? object : Object.fromEntries(fields);
}
