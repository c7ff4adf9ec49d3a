import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';

/** Fills in defaults. Returns the same object if nothing is missing. */
export type FillDefaults = (args: JsonObject) => JsonObject;

/**
 * Fills in the defaults of a JSON Schema, so that the arguments that are hashed, shown and approved are the ones the
 * tool receives. It follows properties, items and local references, but no unions, because the branch would be a guess.
 * A default is used as written, so a schema that refers to itself ends. Null for a schema without defaults.
 */
export function defaultsOf(schema: JsonObject): FillDefaults | null {
  if (!holdsDefault(schema)) return null;
  return (args) => {
    const filled = fill(schema, schema, args);
    return isJsonObject(filled) ? filled : args;
  };
}

function holdsDefault(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (isJsonList(schema)) return schema.some(holdsDefault);
  return Object.hasOwn(schema, 'default') || Object.values(schema).some(holdsDefault);
}

function fill(root: JsonObject, schema: Json | undefined, value: Json): Json {
  const rules = followRefs(root, schema);
  if (rules === null || typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return fillList(root, rules, value);
  return fillObject(root, rules, value as JsonObject);
}

function fillList(root: JsonObject, rules: JsonObject, values: readonly Json[]): Json {
  const { prefixItems = [], items } = rules;
  const places = isJsonList(prefixItems) ? prefixItems : [];
  const filled = values.map((value, place) => fill(root, places[place] ?? items, value));
  return filled.every((value, place) => value === values[place]) ? values : filled;
}

function fillObject(root: JsonObject, rules: JsonObject, value: JsonObject): JsonObject {
  const { properties = {}, additionalProperties } = rules;
  const known = isJsonObject(properties) ? properties : {};
  const changed: [string, Json][] = [];
  for (const [key, child] of Object.entries(value)) {
    const filled = fill(root, own(known, key) ?? additionalProperties, child);
    if (filled !== child) changed.push([key, filled]);
  }
  for (const [key, rule] of Object.entries(known)) {
    const fallback = Object.hasOwn(value, key) ? undefined : defaultIn(root, rule);
    if (fallback !== undefined) changed.push([key, fallback]);
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

/** A default next to a `$ref` takes precedence over one at its target. */
function defaultIn(root: JsonObject, rule: Json): Json | undefined {
  if (!isJsonObject(rule)) return undefined;
  return own(rule, 'default') ?? own(followRefs(root, rule) ?? {}, 'default');
}

const HOPS_MAX = 20;
const LOCAL = /^#\/(\$defs|definitions)\/([^/~%]+)$/;

/** The schema, or the local definition that it refers to; null if there is none. */
function followRefs(root: JsonObject, schema: Json | undefined): JsonObject | null {
  let rule = schema;
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    if (!isJsonObject(rule)) return null;
    const { $ref } = rule;
    if (typeof $ref !== 'string') return rule;
    rule = $ref === '#' ? root : definition(root, $ref);
  }
  return null;
}

function definition(root: JsonObject, ref: string): Json | undefined {
  const [, place, name] = LOCAL.exec(ref) ?? [];
  const definitions = place === undefined ? undefined : own(root, place);
  return name === undefined || !isJsonObject(definitions) ? undefined : own(definitions, name);
}
