import { isJsonList, isJsonObject, type Json, type JsonObject } from './json.ts';

/** The keywords to keep, by the kind of their value. Prose, examples, defaults and unknown keywords are removed. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    'type enum const required format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength ' +
    'maxLength minItems maxItems uniqueItems minProperties maxProperties minContains maxContains dependentRequired $ref'
  ).split(' '),
);
const SCHEMAS: ReadonlySet<string> = new Set(
  (
    'items prefixItems additionalItems additionalProperties propertyNames contains not if then else allOf anyOf oneOf ' +
    'unevaluatedItems unevaluatedProperties'
  ).split(' '),
);
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas'.split(' '),
);

/**
 * Returns the shape that a JSON Schema describes, without prose. Property names and listed values stay only if each is
 * a single word, so that no sentence remains anywhere.
 */
export function bareSchema(schema: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'required' && isJsonList(value)) kept.push([keyword, value.filter(isTerse)]);
    else if (PLAIN.has(keyword) && isTerse(value)) kept.push([keyword, value]);
    else if (SCHEMAS.has(keyword)) kept.push([keyword, isJsonList(value) ? value.map(bare) : bare(value)]);
    else if (NAMED_SCHEMAS.has(keyword) && isJsonObject(value)) {
      const named = Object.entries(value).filter(([name]) => isTerse(name));
      kept.push([keyword, Object.fromEntries(named.map(([name, child]) => [name, bare(child)]))]);
    }
  }
  return Object.fromEntries(kept);
}

const bare = (schema: Json): Json =>
  isJsonObject(schema) ? bareSchema(schema) : schema === true || schema === false ? schema : true;

const TERSE_LENGTH_MAX = 64;

/** A single word has no visible or invisible separator and is too short to be several words run together. */
const isWord = (text: string): boolean => text.length <= TERSE_LENGTH_MAX && !/[\s\p{C}\p{Z}]/u.test(text);

/** Checks that every text in a value is a single word. */
function isTerse(value: Json): boolean {
  if (typeof value === 'string') return isWord(value);
  if (typeof value !== 'object' || value === null) return true;
  if (isJsonList(value)) return value.every(isTerse);
  return Object.entries(value).every(([name, inner]) => isWord(name) && isTerse(inner));
}
