import { z } from 'zod';
import { isJsonList, isJsonObject, type Json } from './json.ts';
import { jsonAt } from './json-at.ts';
import { pointerToken } from './pointer.ts';
import type { Problem } from './problem.ts';

/** Stands in place of a value that is kept sealed: a keyed digest of it, the same for the same value of one tenant. */
const HANDLE_PATTERN = /^sealed:v1:[0-9a-f]{64}$/;

export const isSealed = (value: unknown): value is string => typeof value === 'string' && HANDLE_PATTERN.test(value);

export const sealedHandle = (digestHex: string): string => `sealed:v1:${digestHex}`;

/** A JSON Pointer in which `*` stands for any key or index. */
const Place: z.ZodType<string> = z.string().regex(/^(\/([^~/]|~[01])+)+$/, 'must be a JSON Pointer; * is any key');

/** Where a tool brings back what is sealed, and where it is given what was. Anywhere else a handle is just a text. */
export interface Privacy {
  readonly seals?: readonly string[];
  readonly opens?: readonly string[];
}
export const Privacy: z.ZodType<Privacy> = z.strictObject({
  seals: z.array(Place).max(100).exactOptional(),
  opens: z.array(Place).max(100).exactOptional(),
});
export const Places: z.ZodType<readonly string[]> = z.array(Place).max(100);

/** Every place of a document that the patterns name and that holds something, outermost first, each once. */
export function placesIn(document: Json, patterns: readonly string[]): readonly string[] {
  const found = new Set(patterns.flatMap((pattern) => follow(document, pattern.slice(1).split('/'), '')));
  return [...found].filter((place) => ![...found].some((other) => place.startsWith(`${other}/`)));
}

function follow(value: Json, tokens: readonly string[], at: string): readonly string[] {
  const [token, ...rest] = tokens;
  if (token === undefined) return value === null ? [] : [at];
  if (token === '*' && (isJsonList(value) || isJsonObject(value))) {
    return Object.entries(value).flatMap(([key, child]) => follow(child, rest, at + pointerToken(key)));
  }
  const child = jsonAt(value, `/${token}`);
  return child === undefined ? [] : follow(child, rest, `${at}/${token}`);
}

/** The same document with something else at these places. */
export function withPlaces(document: Json, replaced: ReadonlyMap<string, Json>, at = ''): Json {
  const other = replaced.get(at);
  if (other !== undefined) return other;
  if (replaced.size === 0) return document;
  if (isJsonList(document)) return document.map((child, index) => withPlaces(child, replaced, `${at}/${index}`));
  if (!isJsonObject(document)) return document;
  const entries = Object.entries(document).map(([key, child]) => {
    return [key, withPlaces(child, replaced, at + pointerToken(key))] as const;
  });
  return Object.fromEntries(entries);
}

/** What is wrong besides handles standing where a schema describes what they stand for. */
export function besidesSealed(
  problems: readonly Problem[],
  document: Json,
  patterns: readonly string[] | undefined,
): readonly Problem[] {
  if (problems.length === 0 || patterns === undefined) return problems;
  const sealed = new Set(placesIn(document, patterns).filter((place) => isSealed(jsonAt(document, place))));
  return problems.filter(({ path }) => !sealed.has(path));
}
