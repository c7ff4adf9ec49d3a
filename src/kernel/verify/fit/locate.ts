import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { indexOfToken } from '../../../model/json/json-at.ts';
import { pointerKeys } from '../../../model/json/pointer.ts';
import { looksLikeBinding, looksLikeDraft } from '../../../model/plan/plan.ts';
import { isTypeName, typeNames } from './domain.ts';
import {
  ANYTHING,
  below,
  branches,
  FALSE_SCHEMA,
  isForeign,
  keyword,
  type Rooted,
  resolveRef,
  rooted,
} from './rooted.ts';

/** Whether values of a schema have something at a path, and its schema. */
export interface Located {
  readonly presence: 'always' | 'sometimes' | 'never';
  readonly schema: Rooted;
}

/** The search limit for recursive schemas. Beyond it the answer is `sometimes`. */
const LOOKS_MAX = 500;

const SOMETIMES: Located = Object.freeze({ presence: 'sometimes', schema: ANYTHING });
const NEVER: Located = Object.freeze({ presence: 'never', schema: FALSE_SCHEMA });

/** The part of a schema for the value at a JSON Pointer. */
export const schemaAt = (schema: JsonObject, pointer: string): Rooted['schema'] =>
  locate(rooted(schema), pointerKeys(pointer)).schema.schema;

/** Follows the tokens of a JSON Pointer through a schema. */
export function locate(schema: Rooted, tokens: readonly string[]): Located {
  const search = { left: LOOKS_MAX };
  let found: Located = { presence: 'always', schema };
  for (const token of tokens) {
    const next = child(found.schema, token, search);
    if (next.presence === 'never') return NEVER;
    found = found.presence === 'always' ? next : { ...next, presence: 'sometimes' };
  }
  return found;
}

function child(parent: Rooted, token: string, search: { left: number }): Located {
  search.left -= 1;
  const { schema } = parent;
  if (schema === false) return NEVER;
  if (schema === true || isForeign(parent) || search.left < 0) return SOMETIMES;
  const parts = [ownChild(parent, schema, token)];
  const ref = keyword(schema, '$ref');
  const target = ref === undefined ? null : resolveRef(parent, ref);
  if (target !== null) parts.push(child(target, token, search));
  for (const part of branches(parent, keyword(schema, 'allOf') ?? null) ?? []) parts.push(child(part, token, search));
  for (const name of ['anyOf', 'oneOf']) {
    const union = branches(parent, keyword(schema, name) ?? null);
    if (union !== null)
      parts.push(
        either(
          parent,
          union.map((part) => child(part, token, search)),
        ),
      );
  }
  return both(parent, parts);
}

/** Combines schemas that all describe the value: a single `never` or `always` decides. */
function both(parent: Rooted, parts: readonly Located[]): Located {
  if (parts.some(({ presence }) => presence === 'never')) return NEVER;
  const presence = parts.some((part) => part.presence === 'always') ? 'always' : 'sometimes';
  return { presence, schema: combine(parent, 'allOf', parts) };
}

/** Combines alternatives, of which one describes the value. */
function either(parent: Rooted, parts: readonly Located[]): Located {
  const possible = parts.filter(({ presence }) => presence !== 'never');
  if (possible.length === 0) return NEVER;
  const presence = parts.every((part) => part.presence === 'always') ? 'always' : 'sometimes';
  return { presence, schema: combine(parent, 'anyOf', possible) };
}

/** Joins schemas of the same document, so their references stay valid. */
function combine(parent: Rooted, name: 'allOf' | 'anyOf', parts: readonly Located[]): Rooted {
  const schemas = parts.map(({ schema }) => schema.schema);
  if (name === 'anyOf' && schemas.includes(true)) return ANYTHING;
  const constraints = schemas.filter((schema) => schema !== true);
  if (constraints.length === 0) return ANYTHING;
  const [only] = constraints;
  return { schema: constraints.length === 1 && only !== undefined ? only : { [name]: constraints }, root: parent.root };
}

function ownChild(parent: Rooted, node: JsonObject, token: string): Located {
  const declared = typeNames(node);
  const names = declared !== null && [...declared].every(isTypeName) ? declared : null;
  const possible: Located[] = [];
  if (names === null || names.has('object')) possible.push(field(parent, node, token));
  const index = indexOfToken(token);
  if (index !== null && (names === null || names.has('array'))) possible.push(item(parent, node, index));
  const found = either(parent, possible);
  // A value of another type may have nothing below it.
  return names?.size === 1 || found.presence === 'never' ? found : { ...found, presence: 'sometimes' };
}

function field(parent: Rooted, node: JsonObject, key: string): Located {
  const properties = keyword(node, 'properties');
  const required = keyword(node, 'required');
  const presence = isJsonList(required) && required.includes(key) ? 'always' : 'sometimes';
  const declared = isJsonObject(properties) ? keyword(properties, key) : undefined;
  const patterned = keyword(node, 'patternProperties') !== undefined;
  const other = patterned ? true : (keyword(node, 'additionalProperties') ?? true);
  return under(below(parent, declared ?? other), presence);
}

function item(parent: Rooted, node: JsonObject, index: number): Located {
  const first = keyword(node, 'prefixItems');
  const most = keyword(node, 'maxItems');
  const least = keyword(node, 'minItems');
  if (typeof most === 'number' && index >= most) return NEVER;
  const presence = typeof least === 'number' && index < least ? 'always' : 'sometimes';
  return under(
    below(parent, (isJsonList(first) ? first[index] : undefined) ?? keyword(node, 'items') ?? true),
    presence,
  );
}

function under(schema: Rooted | null, presence: 'always' | 'sometimes'): Located {
  if (schema === null) return { presence, schema: ANYTHING };
  return schema.schema === false ? NEVER : { presence, schema };
}

/** Limit of searched schemas, which may refer to themselves. A key not found within it counts as undeclared. */
const PARTS_MAX = 500;

/** Returns the keys of a step's params, at any depth, that the input schema does not declare. */
export function findUndeclaredKeys(schema: JsonObject, params: JsonObject): readonly string[] {
  const found: string[] = [];
  collect(found, [rooted(schema)], params);
  return found;
}

function collect(found: string[], schemas: readonly Rooted[], value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  const open: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (open) return;
  const parts = partsOf(schemas);
  if (isJsonList(value)) {
    for (const [at, item] of value.entries())
      collect(
        found,
        childSchemas(parts, (node) => itemOf(node, at)),
        item,
      );
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    const named = childSchemas(parts, (node) => own(keyword(node, 'properties'), key));
    if (named.length === 0) found.push(key);
    const schemasOfChild =
      named.length > 0 ? named : childSchemas(parts, (node) => keyword(node, 'additionalProperties'));
    collect(found, schemasOfChild, child);
  }
}

/** All schemas that may describe the value, through references and unions, whichever branch applies. */
function partsOf(schemas: readonly Rooted[]): readonly Rooted[] {
  const parts = new Set<Rooted['schema']>();
  const found: Rooted[] = [];
  const left = [...schemas];
  for (let part = left.pop(); part !== undefined && found.length < PARTS_MAX; part = left.pop()) {
    const { schema } = part;
    if (typeof schema === 'boolean' || isForeign(part) || parts.has(schema)) continue;
    parts.add(schema);
    found.push(part);
    const target = resolveRef(part, keyword(schema, '$ref') ?? null);
    if (target !== null) left.push(target);
    for (const name of ['allOf', 'anyOf', 'oneOf']) left.push(...(branches(part, keyword(schema, name) ?? null) ?? []));
  }
  return found;
}

function childSchemas(parts: readonly Rooted[], pick: (node: JsonObject) => Json | undefined): readonly Rooted[] {
  return parts.flatMap((part) => {
    const schema = typeof part.schema === 'boolean' ? null : below(part, pick(part.schema));
    return schema === null ? [] : [schema];
  });
}

const own = (node: Json | undefined, key: string): Json | undefined =>
  isJsonObject(node) ? keyword(node, key) : undefined;

function itemOf(node: JsonObject, at: number): Json | undefined {
  const first = keyword(node, 'prefixItems');
  return (isJsonList(first) ? first[at] : undefined) ?? keyword(node, 'items');
}
