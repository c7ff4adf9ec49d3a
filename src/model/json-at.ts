import { isJsonList, type Json } from './json.ts';

/** What a JSON Pointer leads to, or undefined if it leads nowhere. Own properties only: documents come from strangers. */
export function jsonAt(document: Json, pointer: string): Json | undefined {
  const keys = keysIn(pointer);
  return keys === null ? undefined : jsonUnder(document, keys);
}

/** The names that a JSON Pointer goes along, for whoever follows it often; null where it is none. */
export function keysIn(pointer: string): readonly string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return null;
  const tokens = pointer.slice(1).split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What names lead to, one after the other, or undefined if they lead nowhere. */
export function jsonUnder(document: Json, keys: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (isJsonList(value) ? !/^(0|[1-9]\d*)$/.test(key) : !Object.hasOwn(value, key)) return undefined;
    value = isJsonList(value) ? value[Number(key)] : value[key];
  }
  return value;
}

/** Same meaning, whatever the order of the keys. */
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
