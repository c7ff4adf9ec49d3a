import { canonicalize } from '../../model/json/canonical.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable, reasonOf } from '../../model/json/printable.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { isStandardSchema, type StandardConverter } from './standard-schema.ts';

/** Keywords that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

/**
 * Adds `additionalProperties: false` to the objects of a typed schema, so that an unknown argument is refused while it
 * can still be repaired, not dropped later. Schemas with `allOf` are left alone, because each part would refuse the
 * properties of the others.
 */
function closeObjects(schema: JsonObject): JsonObject {
  return combines(schema) ? schema : (close(schema) as JsonObject);
}

function combines(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (isJsonList(schema)) return schema.some(combines);
  return Object.hasOwn(schema, 'allOf') || Object.values(schema).some(combines);
}

function close(schema: Json): Json {
  if (isJsonList(schema)) return schema.map(close);
  if (!isJsonObject(schema)) return schema;
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, child]) => [key, VALUES.has(key) ? child : closeAt(key, child)]),
  );
  const open = schema['type'] === 'object' && isJsonObject(schema['properties']);
  return open && !Object.hasOwn(schema, 'additionalProperties') ? { ...closed, additionalProperties: false } : closed;
}

/** Property names are not keywords: an argument may be called `default`. */
function closeAt(key: string, child: Json): Json {
  if (key !== 'properties' && key !== '$defs' && key !== 'patternProperties') return close(child);
  if (!isJsonObject(child)) return child;
  return Object.fromEntries(Object.entries(child).map(([name, rule]) => [name, close(rule)]));
}

/**
 * Describes where the input type of a schema differs from its output type; null if they differ only in defaults.
 * `written` is the JSON Schema of the input, `received` that of the output.
 */
function shapeDifference(written: JsonObject, received: JsonObject): string | null {
  return differs(written, received, '', false);
}

/** Keywords whose keys are names chosen by the author of the schema. */
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

/** Libraries that drop unknown keys state `additionalProperties` only in the output schema. */
const dropsUnknown = (key: string, written: JsonObject): boolean =>
  key === 'additionalProperties' && !Object.hasOwn(written, key);

/** Describes a property that the schema fills in without stating the default in JSON Schema; null if there is none. */
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

const TARGET = { target: 'draft-2020-12' } as const;

export type Converted =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly why: string };

/**
 * The JSON Schema of a tool's arguments. Conversions are refused: the approver would see another value than the code.
 */
export function inputJsonSchema(schema: unknown): Converted {
  const kept = unchangedSchema(schema, 'input', BEFORE);
  return kept.ok ? objectSchema(kept.schema) : kept;
}

/** The JSON Schema of an agent's output. Conversions are refused: the caller would receive another value than the run. */
export function outputValueSchema(schema: unknown): Converted {
  return unchangedSchema(schema, 'output', AFTER);
}

/** The closed JSON Schema of one side of a schema that checks values and does not change them. */
function unchangedSchema(schema: unknown, side: keyof StandardConverter, why: string): Converted {
  const read = converter(schema);
  if ('why' in read) return read;
  if ('plain' in read) return { ok: true, schema: read.plain };
  const written = converted(() => read.input(TARGET));
  if (!written.ok) return written;
  const received = converted(() => read.output(TARGET));
  if (!received.ok) return refuse(`${received.why}. ${why}`);
  const difference = shapeDifference(written.schema, received.schema);
  if (difference !== null) return refuse(`${difference}. ${why}`);
  return { ok: true, schema: closeObjects((side === 'input' ? written : received).schema) };
}

/** The JSON Schema of a tool's result. */
export function outputJsonSchema(schema: unknown): Converted {
  const read = converter(schema);
  if ('why' in read) return read;
  return 'plain' in read ? { ok: true, schema: read.plain } : converted(() => read.input(TARGET));
}

const BEFORE =
  'What is approved is what the code receives, so a schema may check values and fill in defaults, and may not change them: convert them in execute()';

const AFTER =
  'The values of an output are committed facts, so its schema may check them but not change them: convert them after the run';

type Read = StandardConverter | { readonly plain: JsonObject } | { readonly ok: false; readonly why: string };

function converter(schema: unknown): Read {
  if (isStandardSchema(schema)) {
    const { vendor, jsonSchema } = schema['~standard'];
    return jsonSchema ?? refuse(`this ${printable(vendor)} schema yields no JSON Schema: ${remedy(vendor)}`);
  }
  const plain = converted(() => schema);
  return plain.ok ? { plain: plain.schema } : plain;
}

const remedy = (vendor: string): string =>
  vendor === 'valibot'
    ? 'wrap it in toStandardJsonSchema() of @valibot/to-json-schema'
    : 'use a version of the library that implements Standard JSON Schema, or give JSON Schema';

function converted(make: () => unknown): Converted {
  try {
    const schema: Json = takeJson(make());
    return isJsonObject(schema)
      ? { ok: true, schema }
      : refuse('is neither a Standard Schema nor a JSON Schema object');
  } catch (error) {
    return refuse(`cannot be written as JSON Schema: ${printable(reasonOf(error))}`);
  }
}

/** Refuses a schema that does not describe an object. */
function objectSchema(schema: JsonObject): Converted {
  const { type } = schema;
  if (type === undefined || type === 'object') return { ok: true, schema };
  return refuse(`describes ${JSON.stringify(type)}, and arguments are an object`);
}

const refuse = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });
