import { isJsonList, isJsonObject, type Json, type JsonObject } from './json.ts';

/** Keywords by what they hold. All others are left out: titles, descriptions, examples, defaults, and words nobody knows. */
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

/** The shape that a JSON Schema describes, without anything it says in words. Names and listed values are part of it. */
export function bareSchema(schema: JsonObject): JsonObject {
  const kept: [string, Json][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (PLAIN.has(keyword)) kept.push([keyword, value]);
    else if (SCHEMAS.has(keyword)) kept.push([keyword, isJsonList(value) ? value.map(bare) : bare(value)]);
    else if (NAMED_SCHEMAS.has(keyword) && isJsonObject(value)) {
      kept.push([keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, bare(child)]))]);
    }
  }
  return Object.fromEntries(kept);
}

const bare = (schema: Json): Json =>
  isJsonObject(schema) ? bareSchema(schema) : schema === true || schema === false ? schema : true;
