import { assertJson, isJsonList, type Json } from './json.ts';

/**
 * A stranger's value as one's own: plain, bounded, copied and frozen. Whoever handed it over may keep a hand on the
 * original; what was checked is what stays.
 */
export function takeJson(value: unknown): Json {
  assertJson(value);
  return copy(value);
}

function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return Object.freeze(value.map(copy));
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copy(child)])));
}
