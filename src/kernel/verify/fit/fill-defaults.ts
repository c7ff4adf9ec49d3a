import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import type { CompileSchema } from '../compile-schema.ts';

/** Fills in defaults. Returns the same object if nothing is missing. */
export type FillDefaults = (args: JsonObject) => JsonObject;

/**
 * Fills in the defaults of a JSON Schema, so that the arguments that are hashed, shown and approved are the ones the
 * tool receives. It follows properties, items and local references, but no unions, because the branch would be a guess.
 * A default is used as written, so a schema that refers to itself ends; one that is not usable is left out. Null for a
 * schema without defaults.
 */
export function defaultsOf(schema: JsonObject, isUsable: IsUsableDefault = () => true): FillDefaults | null {
  if (!holdsDefault(schema)) return null;
  const source: Source = { root: schema, isUsable };
  return (args) => {
    const filled = fill(source, schema, args);
    return isJsonObject(filled) ? filled : args;
  };
}

/** Whether a default is filled in. `rule` is the schema of the property. */
type IsUsableDefault = (rule: JsonObject, value: Json) => boolean;

interface Source {
  readonly root: JsonObject;
  readonly isUsable: IsUsableDefault;
}

/** Checks defaults against their own schemas, each schema once. Without a check, a default counts as fitting. */
export function defaultCheck(root: JsonObject, compile: CompileSchema): IsUsableDefault {
  const known = new Map<JsonObject, boolean>();
  return (rule, value) => {
    const before = known.get(rule);
    if (before !== undefined) return before;
    const fits = fitsOwnSchema(root, rule, value, compile);
    known.set(rule, fits);
    return fits;
  };
}

/** A schema that refers to the complete schema cannot be checked alone, so its default counts as fitting. */
function fitsOwnSchema(root: JsonObject, rule: JsonObject, value: Json, compile: CompileSchema): boolean {
  if (refersToRoot(rule)) return true;
  const { $schema, $defs, definitions } = root;
  const shared = Object.entries({ $schema, $defs, definitions }).filter(([, part]) => part !== undefined);
  try {
    return compile({ ...(Object.fromEntries(shared) as JsonObject), ...rule })(value).length === 0;
  } catch {
    return false;
  }
}

function refersToRoot(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (isJsonList(schema)) return schema.some(refersToRoot);
  const { $ref } = schema;
  const isForeign = typeof $ref === 'string' && !LOCAL.test($ref);
  return isForeign || Object.values(schema).some(refersToRoot);
}

/** The JSON Pointers of the arguments whose default does not fit its own schema, in objects and lists at any depth. */
export function unfitDefaults(schema: JsonObject, compile: CompileSchema): readonly string[] {
  if (!holdsDefault(schema)) return [];
  const isUsable = defaultCheck(schema, compile);
  const seen = new Set<JsonObject>();
  const found: string[] = [];
  const visit = (part: Json | undefined, pointer: string): void => {
    const rules = followRefs(schema, part);
    if (rules === null || seen.has(rules)) return;
    seen.add(rules);
    const { properties = {}, items, prefixItems = [], additionalProperties } = rules;
    for (const [key, rule] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const place = pointer + pointerToken(key);
      const value = defaultIn(schema, rule);
      if (value !== undefined && isJsonObject(rule) && !isUsable(rule, value)) found.push(place);
      visit(rule, place);
    }
    for (const [at, rule] of (isJsonList(prefixItems) ? prefixItems : []).entries()) visit(rule, `${pointer}/${at}`);
    visit(items, `${pointer}/*`);
    visit(additionalProperties, `${pointer}/*`);
  };
  visit(schema, '');
  return found;
}

function holdsDefault(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (isJsonList(schema)) return schema.some(holdsDefault);
  return Object.hasOwn(schema, 'default') || Object.values(schema).some(holdsDefault);
}

function fill(source: Source, schema: Json | undefined, value: Json): Json {
  const rules = followRefs(source.root, schema);
  if (rules === null || typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return fillList(source, rules, value);
  return fillObject(source, rules, value as JsonObject);
}

function fillList(source: Source, rules: JsonObject, values: readonly Json[]): Json {
  const { prefixItems = [], items } = rules;
  const places = isJsonList(prefixItems) ? prefixItems : [];
  const filled = values.map((value, place) => fill(source, places[place] ?? items, value));
  return filled.every((value, place) => value === values[place]) ? values : filled;
}

function fillObject(source: Source, rules: JsonObject, value: JsonObject): JsonObject {
  const { properties = {}, additionalProperties } = rules;
  const known = isJsonObject(properties) ? properties : {};
  const changed: [string, Json][] = [];
  for (const [key, child] of Object.entries(value)) {
    const filled = fill(source, own(known, key) ?? additionalProperties, child);
    if (filled !== child) changed.push([key, filled]);
  }
  for (const [key, rule] of Object.entries(known)) {
    const fallback = Object.hasOwn(value, key) ? undefined : defaultIn(source.root, rule);
    if (fallback !== undefined && isJsonObject(rule) && source.isUsable(rule, fallback)) changed.push([key, fallback]);
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
