import { Fault } from '../fault/fault.ts';
import { deepFreeze } from '../json/freeze.ts';
import { assertJson, isJsonList, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { jsonAt } from '../json/json-at.ts';
import { pointerKeys } from '../json/pointer.ts';
import { printable } from '../json/printable.ts';
import type { ToolUnwrap } from './tool.ts';

/** The arguments that a dispatcher passes on, or null if it does not state them as its declaration says. */
export function innerArguments(unwrap: ToolUnwrap, args: JsonObject): JsonObject | null {
  const found: Json | undefined = jsonAt(args, unwrap.args);
  if (found === undefined) return unwrap.optional === true ? NO_ARGUMENTS : null;
  const value = unwrap.encoding === 'json' ? readText(found) : found;
  return value !== null && isJsonObject(value) ? value : null;
}

const NO_ARGUMENTS: JsonObject = Object.freeze({});

/** The strings of a JSON text, matched in order; a key includes the colon after it. */
const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/gsu;

/**
 * Parses JSON text that every reader understands alike: without repeated keys, and without integers that JavaScript
 * rounds. Otherwise a person could approve another call than the dispatcher makes. Null for any other text.
 */
function readText(text: Json): Json {
  if (typeof text !== 'string') return null;
  let isExact = true;
  try {
    const value: unknown = JSON.parse(text, (_, part: unknown) => {
      if (typeof part === 'number' && Number.isInteger(part) && !Number.isSafeInteger(part)) isExact = false;
      return part;
    });
    assertJson(value);
    const keys = [...text.matchAll(STRING)].filter(([, colon]) => colon !== undefined).length;
    return isExact && keys === countKeys(value) ? deepFreeze(value) : null;
  } catch {
    return null;
  }
}

function countKeys(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = isJsonList(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, part: Json) => sum + countKeys(part), own);
}

/** The arguments of a dispatcher with other inner arguments, in the form that its declaration says. */
export function withInnerArguments(unwrap: ToolUnwrap, args: JsonObject, inner: JsonObject): JsonObject {
  const value = unwrap.encoding === 'json' ? JSON.stringify(inner) : inner;
  return replaceAt(args, pointerKeys(unwrap.args), value) as JsonObject;
}

/** The arguments of a dispatcher with these inner arguments as an object, also if it has a text there. */
export function withReadableInner(unwrap: ToolUnwrap, args: JsonObject, inner: JsonObject): JsonObject {
  if (jsonAt(args, unwrap.args) === undefined) return args;
  return replaceAt(args, pointerKeys(unwrap.args), inner) as JsonObject;
}

function replaceAt(value: Json, [token, ...rest]: readonly string[], replacement: Json): Json {
  if (token === undefined) return replacement;
  if (isJsonList(value))
    return value.map((item, at) => (String(at) === token ? replaceAt(item, rest, replacement) : item));
  if (!isJsonObject(value)) throw new Fault('argument_invalid', `there is nothing at ${printable(token)} to edit`);
  return { ...value, [token]: replaceAt(value[token] ?? null, rest, replacement) };
}
