import { isJsonList, type Json } from '../../model/json.ts';

/** The reference tokens of a JSON Pointer, unescaped. */
export function tokensOf(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token));
}

/** RFC 6901 allows one spelling per index: no sign, no leading zero. */
export function indexOfToken(token: string): number | null {
  return /^(0|[1-9][0-9]{0,9})$/.test(token) ? Number(token) : null;
}

/** One token further down; undefined where there is nothing, and never anything inherited. */
export function stepInto(value: Json, token: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isJsonList(value)) {
    const index = indexOfToken(token);
    return index === null ? undefined : value[index];
  }
  return Object.hasOwn(value, token) ? value[token] : undefined;
}
