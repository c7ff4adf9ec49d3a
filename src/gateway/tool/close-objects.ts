import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';

/** Places in a schema that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

/**
 * What a typed schema does not name, its code does not read: an argument that nobody knows is refused where it can
 * still be repaired instead of being dropped later. Parts that are put together by `allOf` say so of each other only
 * together, and stay as the library wrote them.
 */
export function closeObjects(schema: JsonObject): JsonObject {
  return combines(schema) ? schema : (close(schema) as JsonObject);
}

function combines(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (isJsonList(schema)) return schema.some(combines);
  return Object.hasOwn(schema, 'allOf') || Object.values(schema).some(combines);
}

function close(schema: Json): Json {
  if (isJsonList(schema)) return schema.map(close);
  if (!isJsonObject(schema)) return schema;
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, child]) => [key, VALUES.has(key) ? child : closeAt(key, child)]),
  );
  const open = schema['type'] === 'object' && isJsonObject(schema['properties']);
  return open && !Object.hasOwn(schema, 'additionalProperties') ? { ...closed, additionalProperties: false } : closed;
}

/** Names of properties are not words of the schema: an argument may well be called `default`. */
function closeAt(key: string, child: Json): Json {
  if (key !== 'properties' && key !== '$defs' && key !== 'patternProperties') return close(child);
  if (!isJsonObject(child)) return child;
  return Object.fromEntries(Object.entries(child).map(([name, rule]) => [name, close(rule)]));
}
