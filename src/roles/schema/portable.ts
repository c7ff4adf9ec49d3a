import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { keysIn } from '../../model/json/json-at.ts';
import { looksLikeBinding, looksLikeDraft } from '../../model/plan/plan.ts';

/**
 * JSON Schema in the dialect that all providers accept: no references, bounds or open objects; every property is
 * required, and an optional one may be null. It is looser than the tool's own schema and never contradicts it; plans
 * are verified against the tool's schema.
 */
const BINDING: JsonObject = closed({
  $from: { type: 'string', description: 'id of an earlier step' },
  path: { type: 'string', description: 'JSON Pointer into what it returns' },
});

/** A value that the drafter writes when the step is reached. */
const DRAFT: JsonObject = closed({
  $draft: { type: 'string', description: 'what is to be written here when the step comes up' },
  using: { type: 'array', items: anyOf(BINDING, { type: 'string' }), description: 'what it is written from' },
});

/** The schemas that may replace a value, by depth; 0 is the complete arguments object. */
export type Holes = (depth: number) => readonly JsonObject[];

export const BOUND: Holes = () => [BINDING];
/** Drafts are permitted for single arguments only, which covers most uses. */
export const BOUND_OR_DRAFTED: Holes = (depth) => (depth === 1 ? [BINDING, DRAFT] : [BINDING]);
export const WRITTEN_OUT: Holes = () => [];

export const JSON_TEXT: JsonObject = Object.freeze({ type: 'string', description: 'the value, written as JSON' });

export function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function anyOf(...choices: readonly Json[]): JsonObject {
  return { anyOf: choices };
}

export const orNull = (schema: JsonObject): JsonObject => anyOf(...choicesOf(schema), { type: 'null' });

/** The portable form of a schema, with the replacements permitted at each depth. */
export function portableValue(schema: Json, root: JsonObject, holes: Holes, depth = 0): JsonObject {
  const value = portable(schema, root, holes, depth);
  const instead = holes(depth);
  return instead.length === 0 ? value : anyOf(...choicesOf(value), ...instead);
}

const choicesOf = (schema: JsonObject): readonly Json[] => {
  const choices = own(schema, 'anyOf');
  return Array.isArray(choices) ? (choices as readonly Json[]) : [schema];
};

function portable(schema: Json, root: JsonObject, holes: Holes, depth: number): JsonObject {
  const shape = shapeOf(schema, root, depth);
  switch (shape.kind) {
    case 'text':
      return JSON_TEXT;
    case 'scalar':
      return described(schema, root, { type: shape.type });
    case 'words':
      return described(schema, root, { ...typeOf(shape.words), enum: shape.words });
    case 'list':
      return { type: 'array', items: portableValue(shape.items, root, holes, depth + 1) };
    case 'choice':
      return anyOf(...shape.of.flatMap((each) => choicesOf(portable(each, root, holes, depth + 1))));
    case 'record':
      return closed(Object.fromEntries(shape.fields.map((field) => [field.name, fieldOf(field, root, holes, depth)])));
  }
}

function fieldOf({ schema, required }: Field, root: JsonObject, holes: Holes, depth: number): JsonObject {
  const value = portableValue(schema, root, holes, depth + 1);
  return required || acceptsNull(schema, root, depth + 1) ? value : orNull(value);
}

function typeOf(words: readonly Json[]): JsonObject {
  const types = new Set(words.map((word) => (word === null ? 'null' : typeof word)));
  const [only] = types;
  return types.size === 1 && only !== undefined ? { type: only } : {};
}

const DESCRIPTION_MAX = 200;

function described(schema: Json, root: JsonObject, plain: JsonObject): JsonObject {
  const description = own(resolveReference(schema, root, 0) ?? {}, 'description');
  if (typeof description !== 'string' || description === '') return plain;
  return { ...plain, description: description.slice(0, DESCRIPTION_MAX).toWellFormed() };
}

/**
 * Converts a value from the portable schema back to the tool's own: drops null for optional fields and parses JSON
 * text. A value that fits no shape stays unchanged, for the critic to refuse.
 */
export function fromPortableValue(value: Json, schema: Json, root: JsonObject, depth = 0): Json {
  if (looksLikeBinding(value) || looksLikeDraft(value)) return value;
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'text') return typeof value === 'string' ? fromText(value) : value;
  if (shape.kind === 'list' && isJsonList(value)) {
    return value.map((item) => fromPortableValue(item, shape.items, root, depth + 1));
  }
  if (shape.kind === 'record' && isJsonObject(value)) {
    const fields = new Map(shape.fields.map((field) => [field.name, field]));
    const kept = Object.entries(value).flatMap(([name, child]): readonly (readonly [string, Json])[] => {
      const field = fields.get(name);
      if (field === undefined) return [[name, child]];
      const absent = child === null && !field.required && !acceptsNull(field.schema, root, depth + 1);
      return absent ? [] : [[name, fromPortableValue(child, field.schema, root, depth + 1)]];
    });
    return Object.fromEntries(kept);
  }
  if (shape.kind === 'choice') {
    const meant = shape.of.find((each) => isMeant(value, each, root, depth + 1));
    return meant === undefined ? value : fromPortableValue(value, meant, root, depth + 1);
  }
  return value;
}

/** Whether a value was probably written for this one of several schemas. */
function isMeant(value: Json, schema: Json, root: JsonObject, depth: number): boolean {
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'record') return isJsonObject(value);
  if (shape.kind === 'list') return isJsonList(value);
  if (shape.kind === 'words') return shape.words.some((word) => word === value);
  if (shape.kind === 'scalar') return typeof value === (shape.type === 'integer' ? 'number' : shape.type);
  return shape.kind === 'text' && typeof value === 'string';
}

function fromText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Not JSON, so the text itself is the value.
    return text;
  }
}

/**
 * A JSON Schema reduced to the dialect that all providers share. `text` stands for anything beyond it (open objects,
 * untyped lists, recursion): there the value is written as JSON text.
 */
type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'words'; readonly words: readonly (string | number | boolean | null)[] }
  | { readonly kind: 'list'; readonly items: Json }
  | { readonly kind: 'record'; readonly fields: readonly Field[] }
  | { readonly kind: 'choice'; readonly of: readonly Json[] };

interface Field {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

const TEXT: Shape = Object.freeze({ kind: 'text' });

/** Providers permit ten levels, and a plan uses three of them before the arguments. */
const DEPTH_MAX = 6;

const WORDS_MAX = 200;

function shapeOf(schema: Json | undefined, root: JsonObject, depth: number): Shape {
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
function resolveReference(schema: Json | undefined, root: JsonObject, hops: number): JsonObject | null {
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

function acceptsNull(schema: Json, root: JsonObject, depth: number): boolean {
  const shape = shapeOf(schema, root, depth);
  if (shape.kind === 'scalar') return shape.type === 'null';
  if (shape.kind === 'words') return shape.words.includes(null);
  return shape.kind === 'choice' && shape.of.some((each) => acceptsNull(each, root, depth + 1));
}
