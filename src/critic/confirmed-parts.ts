import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { Confirmed } from '../model/observation.ts';
import { pointerToken } from '../model/pointer.ts';

/** Keywords beside `properties` through which a schema may have looked at a key. */
const MAY_DECLARE: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'patternProperties',
  'unevaluatedProperties',
];

/**
 * The parts of a fitting value that its schema says anything about. An object schema that lists its properties and
 * leaves the door open for others has not looked at those others, so they are not confirmed. Top level only: a
 * nested object that was left open is confirmed as a whole with the property that holds it.
 */
export function confirmedBySchema(schema: JsonObject, value: Json): Confirmed {
  const { additionalProperties: rest, properties } = schema;
  if (!isJsonObject(value) || !isJsonObject(properties)) return 'all';
  if (rest !== undefined && rest !== true) return 'all';
  if (MAY_DECLARE.some((keyword) => Object.hasOwn(schema, keyword))) return 'all';
  const keys = Object.keys(value);
  const declared = keys.filter((key) => Object.hasOwn(properties, key));
  return declared.length === keys.length ? 'all' : declared.map(pointerToken);
}
