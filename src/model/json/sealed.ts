import { z } from 'zod';
import { exactObject } from './exact.ts';
import { isJsonList, isJsonObject, type Json } from './json.ts';
import { jsonAt } from './json-at.ts';
import { pointerToken } from './pointer.ts';
import type { Problem } from './problem.ts';

/** A handle that replaces a sealed value: a keyed digest, equal for equal values of one tenant. */
const HANDLE_PATTERN = /^sealed:v1:[0-9a-f]{64}$/;

export const isSealedHandle = (value: unknown): value is string =>
  typeof value === 'string' && HANDLE_PATTERN.test(value);

/** Whether a text has a handle in it, such as a result that repeats an argument. */
export const hasSealedHandle = (value: unknown): boolean => typeof value === 'string' && HANDLE_IN_TEXT.test(value);

const HANDLE_IN_TEXT = /sealed:v1:[0-9a-f]{64}/;

/** JSON Pointers to the texts with a handle in them, and to the objects with such a key. */
export function handlePlaces(value: Json, at = ''): readonly string[] {
  if (isJsonList(value)) return value.flatMap((child, index) => handlePlaces(child, `${at}/${index}`));
  if (!isJsonObject(value)) return hasSealedHandle(value) ? [at] : [];
  if (Object.keys(value).some(hasSealedHandle)) return [at];
  return Object.entries(value).flatMap(([key, child]) => handlePlaces(child, at + pointerToken(key)));
}

/** Every handle in a document, once. */
export const handlesIn = (value: unknown): readonly string[] => [
  ...new Set(JSON.stringify(value)?.match(/sealed:v1:[0-9a-f]{64}/g) ?? []),
];

export const sealedHandle = (digestHex: string): string => `sealed:v1:${digestHex}`;

/** A JSON Pointer in which `*` stands for any key or index. */
const Place: z.ZodType<string> = z.string().regex(/^(\/([^~/]|~[01])+)+$/, 'must be a JSON Pointer; * is any key');

/**
 * The places in a tool's results that are sealed, and the places in its arguments where handles are opened. A handle in
 * any other place is plain text.
 */
export interface Privacy {
  readonly seals?: readonly string[];
  readonly opens?: readonly string[];
}
export const Privacy: z.ZodType<Privacy> = exactObject({
  seals: z.array(Place).max(100).exactOptional(),
  opens: z.array(Place).max(100).exactOptional(),
});
export const Places: z.ZodType<readonly string[]> = z.array(Place).max(100);

/** Returns every non-null place that matches a pattern, once, without the places inside another match. */
export function placesIn(document: Json, patterns: readonly string[]): readonly string[] {
  const found = new Set(patterns.flatMap((pattern) => follow(document, pattern.slice(1).split('/'), '')));
  return [...found].filter((place) => !outerPlaces(place).some((outer) => found.has(outer)));
}

/** The places that a place is in. */
const outerPlaces = (place: string): readonly string[] =>
  Array.from(place.slice(1).matchAll(/\//g), ({ index }) => place.slice(0, index + 1));

function follow(value: Json, tokens: readonly string[], at: string): readonly string[] {
  const [token, ...rest] = tokens;
  if (token === undefined) return value === null ? [] : [at];
  if (token === '*' && (isJsonList(value) || isJsonObject(value))) {
    return Object.entries(value).flatMap(([key, child]) => follow(child, rest, at + pointerToken(key)));
  }
  const child = jsonAt(value, `/${token}`);
  return child === undefined ? [] : follow(child, rest, `${at}/${token}`);
}

/** Returns a copy of a document with other values at these places. */
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

/** Returns the problems except those about handles, since the schema describes the value that a handle replaces. */
export function withoutSealedProblems(
  problems: readonly Problem[],
  document: Json,
  patterns: readonly string[] | undefined,
): readonly Problem[] {
  if (problems.length === 0 || patterns === undefined) return problems;
  const sealed = new Set(placesIn(document, patterns).filter((place) => isSealedHandle(jsonAt(document, place))));
  return problems.filter(({ path }) => !sealed.has(path));
}
