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
  const listed = listedOnly(schema);
  if (listed === null || !isJsonObject(value)) return 'all';
  const keys = Object.keys(value);
  const declared = keys.filter((key) => Object.hasOwn(listed, key));
  return declared.length === keys.length ? 'all' : declared.map(pointerToken);
}

/** Every answer of a tool is held to the same schema, and a registered schema does not change. */
const listings: WeakMap<JsonObject, JsonObject | typeof LOOKS_FURTHER> = new WeakMap();
const LOOKS_FURTHER = 'looks further';

/** What the schema lists, where that is all that it looks at; null where it may have looked at any key. */
function listedOnly(schema: JsonObject): JsonObject | null {
  let listing = listings.get(schema);
  if (listing === undefined) {
    listing = readListing(schema) ?? LOOKS_FURTHER;
    listings.set(schema, listing);
  }
  return listing === LOOKS_FURTHER ? null : listing;
}

function readListing(schema: JsonObject): JsonObject | null {
  const { additionalProperties: rest, properties } = schema;
  if (!isJsonObject(properties) || (rest !== undefined && rest !== true)) return null;
  return MAY_DECLARE.some((keyword) => Object.hasOwn(schema, keyword)) ? null : properties;
}
