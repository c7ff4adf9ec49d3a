import { isJsonList, type Json } from './json.ts';
import { pointerKeys } from './pointer.ts';

/** Returns the value at a JSON Pointer, or undefined. Untrusted documents: follows own properties only. */
export function jsonAt(document: Json, pointer: string): Json | undefined {
  const keys = keysIn(pointer);
  return keys === null ? undefined : jsonAtKeys(document, keys);
}

/** Returns the keys of a JSON Pointer, for callers that resolve it often; null if it is not a JSON Pointer. */
export function keysIn(pointer: string): readonly string[] | null {
  return pointer === '' || pointer.startsWith('/') ? pointerKeys(pointer) : null;
}

/** Returns the value under a list of keys, or undefined. */
export function jsonAtKeys(document: Json, keys: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const key of keys) {
    if (value === undefined) return undefined;
    value = stepInto(value, key);
  }
  return value;
}

/** Compares two values by meaning, regardless of the order of keys. */
export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isJsonList(a) || isJsonList(b)) {
    return (
      isJsonList(a) && isJsonList(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at] ?? null))
    );
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null));
}

/** Parses a list index. RFC 6901 allows one spelling per index: no sign, no leading zero. */
export function indexOfToken(token: string): number | null {
  return /^(0|[1-9][0-9]{0,9})$/.test(token) ? Number(token) : null;
}

/** Returns the child under one token; undefined if there is none, and never an inherited value. */
export function stepInto(value: Json, token: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonList(value)) {
    const index = indexOfToken(token);
    return index === null ? undefined : value[index];
  }
  return Object.hasOwn(value, token) ? value[token] : undefined;
}
