import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { stepInto } from '../../../model/json/json-at.ts';
import { pointerKeys } from '../../../model/json/pointer.ts';

export type JsonSchema = boolean | JsonObject;

/** A schema, and the document in which its local references are resolved. */
export interface Rooted {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

export const rooted = (schema: JsonSchema): Rooted => ({ schema, root: schema });

export const ANYTHING: Rooted = Object.freeze({ schema: true, root: true });
export const FALSE_SCHEMA: Rooted = Object.freeze({ schema: false, root: false });

/** Reads own properties only, because the schema may be untrusted. */
export function keyword(node: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

/** A subschema of the same document; null if the value is not a schema. */
export function below(parent: Rooted, value: Json | undefined): Rooted | null {
  return typeof value === 'boolean' || isJsonObject(value) ? { schema: value, root: parent.root } : null;
}

/** The schemas of `allOf`, `anyOf` or `oneOf`; null if the keyword is malformed. */
export function branches(parent: Rooted, value: Json): readonly Rooted[] | null {
  if (!isJsonList(value) || value.length === 0) return null;
  const found = value.map((item) => below(parent, item));
  return found.every((item) => item !== null) ? found : null;
}

/**
 * Resolves a `$ref` within the document. Other documents are not available, and a nested `$id` starts its own document,
 * in which references have another meaning.
 */
export function resolveRef(from: Rooted, ref: Json): Rooted | null {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return null;
  let tokens: readonly string[];
  try {
    const pointer = decodeURIComponent(ref.slice(1));
    if (pointer !== '' && !pointer.startsWith('/')) return null;
    tokens = pointerKeys(pointer);
  } catch {
    return null;
  }
  let node: Json | undefined = from.root;
  for (const token of tokens) {
    node = node === undefined ? undefined : stepInto(node, token);
    if (isJsonObject(node) && Object.hasOwn(node, '$id')) return null;
  }
  return below(from, node);
}

/** True for a schema with its own `$id` inside another document. */
export function isForeign({ schema, root }: Rooted): boolean {
  return schema !== root && isJsonObject(schema) && Object.hasOwn(schema, '$id');
}
