import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { keysIn } from '../../model/json/json-at.ts';

/**
 * A JSON Schema reduced to the dialect that all providers share. `text` stands for anything beyond it (open objects,
 * untyped lists, recursion): there the value is written as JSON text.
 */
export type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'words'; readonly words: readonly (string | number | boolean | null)[] }
  | { readonly kind: 'list'; readonly items: Json }
  | { readonly kind: 'record'; readonly fields: readonly Field[] }
  | { readonly kind: 'choice'; readonly of: readonly Json[] };

export interface Field {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

const TEXT: Shape = Object.freeze({ kind: 'text' });

/** Providers permit ten levels, and a plan uses three of them before the arguments. */
const DEPTH_MAX = 6;

const WORDS_MAX = 200;

export function shapeOf(schema: Json | undefined, root: JsonObject, depth: number): Shape {
  const node = resolveReference(schema, root, 0);
  if (node === null || depth > DEPTH_MAX || own(node, 'allOf') !== undefined) return TEXT;
  const fixed = wordsOf(node);
  if (fixed !== null) return { kind: 'words', words: fixed };
  const choices = own(node, 'anyOf') ?? own(node, 'oneOf');
  if (isJsonList(choices)) return choices.length === 0 ? TEXT : { kind: 'choice', of: choices };
  const type = own(node, 'type');
  if (isJsonList(type)) return { kind: 'choice', of: type.map((each) => ({ ...node, type: each })) };
  if (type === 'object') return recordOf(node);
  if (type === 'array') {
    const items = own(node, 'items');
    return items === undefined || own(node, 'prefixItems') !== undefined ? TEXT : { kind: 'list', items };
  }
  return typeof type === 'string' ? { kind: 'scalar', type } : TEXT;
}

/** An object without known keys can only be written as text. */
function recordOf(node: JsonObject): Shape {
  const properties = own(node, 'properties');
  const required = own(node, 'required');
  const named = isJsonObject(properties) ? Object.entries(properties) : [];
  if (named.length === 0 && own(node, 'additionalProperties') !== false) return TEXT;
  const needed = new Set(isJsonList(required) ? required : []);
  return { kind: 'record', fields: named.map(([name, schema]) => ({ name, schema, required: needed.has(name) })) };
}

function wordsOf(node: JsonObject): readonly (string | number | boolean | null)[] | null {
  const fixed = own(node, 'const');
  const list = fixed === undefined ? own(node, 'enum') : [fixed];
  if (!isJsonList(list) || list.length === 0 || list.length > WORDS_MAX) return null;
  return list.every(isWord) ? list : null;
}

const isWord = (value: Json): value is string | number | boolean | null => typeof value !== 'object' || value === null;

const HOPS_MAX = 20;

/** Follows local references, up to a limit of hops. */
export function resolveReference(schema: Json | undefined, root: JsonObject, hops: number): JsonObject | null {
  if (!isJsonObject(schema)) return null;
  const ref = own(schema, '$ref');
  if (ref === undefined) return schema;
  if (typeof ref !== 'string' || !ref.startsWith('#') || hops > HOPS_MAX) return null;
  return resolveReference(pointed(root, ref.slice(1)), root, hops + 1);
}

function pointed(root: JsonObject, pointer: string): Json | undefined {
  let at: Json | undefined = root;
  for (const key of keysIn(pointer) ?? []) {
    if (!isJsonObject(at)) return undefined;
    at = own(at, key);
  }
  return at;
}

export function acceptsNull(schema: Json, root: JsonObject, depth: number): boolean {
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'scalar') return shape.type === 'null';
  if (shape.kind === 'words') return shape.words.includes(null);
  return shape.kind === 'choice' && shape.of.some((each) => acceptsNull(each, root, depth + 1));
}
