import { canonicalize } from '../../model/canonical.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { own } from '../../model/own.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';

/**
 * Where what a schema takes is not what it yields, in words; null where both are the same but for defaults. `written`
 * is the JSON Schema of what it takes, `received` that of what it yields.
 */
export function shapeDifference(written: JsonObject, received: JsonObject): string | null {
  return differs(written, received, '', false);
}

/** Below these stand names that the author of the schema chose, not words of JSON Schema. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);

function differs(written: Json, received: Json, path: string, named: boolean): string | null {
  if (isJsonList(written) && isJsonList(received) && written.length === received.length) {
    return first(written.map((child, place) => differs(child, received[place] ?? null, `${path}/${place}`, false)));
  }
  if (isJsonObject(written) && isJsonObject(received)) return objectDiffers(written, received, path, named);
  if (canonicalize(written) === canonicalize(received)) return null;
  return `it takes one thing and yields another at ${printable(path)}: ${shown(written)} becomes ${shown(received)}`;
}

function objectDiffers(written: JsonObject, received: JsonObject, path: string, named: boolean): string | null {
  const keys = [...new Set([...Object.keys(written), ...Object.keys(received)])].toSorted();
  for (const key of keys) {
    if (!named && (key === 'required' || dropsUnknown(key, written))) continue;
    const [takes, yields] = [own(written, key), own(received, key)];
    if (takes === undefined || yields === undefined) {
      return `it takes ${shown(written)} and yields ${shown(received)} at ${printable(path) || 'the top'}`;
    }
    const difference = differs(takes, yields, path + pointerToken(key), !named && NAMED.has(key));
    if (difference !== null) return difference;
  }
  return named ? null : missingDefault(written, received, path);
}

/** An object that drops what it does not know says so only of what it yields. */
const dropsUnknown = (key: string, written: JsonObject): boolean =>
  key === 'additionalProperties' && !Object.hasOwn(written, key);

/** What is always there in the end and need not be written must have a default that can be read off the schema. */
function missingDefault(written: JsonObject, received: JsonObject, path: string): string | null {
  const asked = new Set(namesIn(written));
  const properties = own(written, 'properties');
  const filled = namesIn(received).filter((name) => !asked.has(name));
  if (filled.length > 0 && /\/(anyOf|oneOf)\//.test(`${path}/`)) {
    return `it fills in ${filled.join(', ')} at ${printable(path)}, where a value may be one of several things`;
  }
  const silent = filled.filter((name) => {
    const rule = isJsonObject(properties) ? own(properties, name) : undefined;
    return !isJsonObject(rule) || !Object.hasOwn(rule, 'default');
  });
  if (silent.length === 0) return null;
  return `it fills in ${printable(silent.join(', '))} by itself, and its JSON Schema does not say with what: fill it in inside execute(), or use a library that writes the default down`;
}

const namesIn = (schema: JsonObject): readonly string[] => {
  const required = own(schema, 'required');
  return isJsonList(required) ? required.filter((name): name is string => typeof name === 'string') : [];
};

const shown = (schema: Json): string => printable(canonicalize(schema));

const first = (found: readonly (string | null)[]): string | null => found.find((one) => one !== null) ?? null;
