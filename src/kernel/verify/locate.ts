import { isJsonList, isJsonObject, type JsonObject } from '../../model/json.ts';
import { isTypeName, typeNames } from './fit/domain.ts';
import { ANYTHING, below, branches, isForeign, keyword, NOTHING, type Rooted, resolveRef } from './fit/rooted.ts';
import { indexOfToken } from './pointer-walk.ts';

/** Whether a value of the schema has something at a path, and what. */
export interface Located {
  readonly presence: 'always' | 'sometimes' | 'never';
  readonly schema: Rooted;
}

/** Recursive schemas multiply; beyond this many looks nothing more is claimed about the path. */
const LOOKS_MAX = 500;

const SOMETIMES: Located = Object.freeze({ presence: 'sometimes', schema: ANYTHING });
const NEVER: Located = Object.freeze({ presence: 'never', schema: NOTHING });

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

/** All parts describe the same value: one that rules the path out is enough, and so is one that promises it. */
function both(parent: Rooted, parts: readonly Located[]): Located {
  if (parts.some(({ presence }) => presence === 'never')) return NEVER;
  const presence = parts.some((part) => part.presence === 'always') ? 'always' : 'sometimes';
  return { presence, schema: combine(parent, 'allOf', parts) };
}

/** The value is described by one of the parts, nobody knows which. */
function either(parent: Rooted, parts: readonly Located[]): Located {
  const possible = parts.filter(({ presence }) => presence !== 'never');
  if (possible.length === 0) return NEVER;
  const presence = parts.every((part) => part.presence === 'always') ? 'always' : 'sometimes';
  return { presence, schema: combine(parent, 'anyOf', possible) };
}

/** Everything that is located in one document still belongs to it, so its schemas can stand side by side. */
function combine(parent: Rooted, name: 'allOf' | 'anyOf', parts: readonly Located[]): Rooted {
  const schemas = parts.map(({ schema }) => schema.schema);
  if (name === 'anyOf' && schemas.includes(true)) return ANYTHING;
  const told = schemas.filter((schema) => schema !== true);
  if (told.length === 0) return ANYTHING;
  const [only] = told;
  return { schema: told.length === 1 && only !== undefined ? only : { [name]: told }, root: parent.root };
}

function ownChild(parent: Rooted, node: JsonObject, token: string): Located {
  const declared = typeNames(node);
  const names = declared !== null && [...declared].every(isTypeName) ? declared : null;
  const possible: Located[] = [];
  if (names === null || names.has('object')) possible.push(field(parent, node, token));
  const index = indexOfToken(token);
  if (index !== null && (names === null || names.has('array'))) possible.push(item(parent, node, index));
  const found = either(parent, possible);
  // A value that may be of another type may have nothing below it.
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
