import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { stepInto, tokensOf } from '../pointer-walk.ts';

export type JsonSchema = boolean | JsonObject;

/** A schema and the document in which its local references are looked up. */
export interface Rooted {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

export const rooted = (schema: JsonSchema): Rooted => ({ schema, root: schema });

export const ANYTHING: Rooted = Object.freeze({ schema: true, root: true });
export const NOTHING: Rooted = Object.freeze({ schema: false, root: false });

/** A keyword of a schema that a stranger may have written: own properties only. */
export function keyword(node: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

/** The schema below `node`, in the same document; null when what stands there is no schema. */
export function below(parent: Rooted, value: Json | undefined): Rooted | null {
  return typeof value === 'boolean' || isJsonObject(value) ? { schema: value, root: parent.root } : null;
}

/** The schemas of `allOf`, `anyOf` or `oneOf`; null when the keyword holds something else. */
export function branches(parent: Rooted, value: Json): readonly Rooted[] | null {
  if (!isJsonList(value) || value.length === 0) return null;
  const found = value.map((item) => below(parent, item));
  return found.every((item) => item !== null) ? found : null;
}

/**
 * Where a `$ref` leads. Only within the document: another document is not here, and a nested `$id` starts a
 * document of its own, whose references would mean something else.
 */
export function resolveRef(from: Rooted, ref: Json): Rooted | null {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return null;
  let tokens: readonly string[];
  try {
    const pointer = decodeURIComponent(ref.slice(1));
    if (pointer !== '' && !pointer.startsWith('/')) return null;
    tokens = tokensOf(pointer);
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

/** True for a schema with a base of its own inside another document. */
export function isForeign({ schema, root }: Rooted): boolean {
  return schema !== root && isJsonObject(schema) && Object.hasOwn(schema, '$id');
}
