import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { printable, reasonOf } from '../../model/printable.ts';
import { takeJson } from '../../model/take-json.ts';
import { closeObjects } from './close-objects.ts';
import { shapeDifference } from './shape-difference.ts';
import { isStandardSchema, type StandardConverter } from './standard-schema.ts';

const TARGET = { target: 'draft-2020-12' } as const;

export type Converted =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly why: string };

/**
 * What a planner may write for a tool. The tool's code reads the same value with its defaults filled in: a schema that
 * turns one value into another would have a person approve what the code never sees.
 */
export function inputJsonSchema(schema: unknown): Converted {
  const read = converter(schema);
  if ('why' in read) return read;
  if ('plain' in read) return objectSchema(read.plain);
  const written = converted(() => read.input(TARGET));
  if (!written.ok) return written;
  const received = converted(() => read.output(TARGET));
  if (!received.ok) return refuse(`${received.why}. ${BEFORE}`);
  const difference = shapeDifference(written.schema, received.schema);
  if (difference !== null) return refuse(`${difference}. ${BEFORE}`);
  return objectSchema(closeObjects(written.schema));
}

/** What a tool's code gives back. */
export function outputJsonSchema(schema: unknown): Converted {
  const read = converter(schema);
  if ('why' in read) return read;
  return 'plain' in read ? { ok: true, schema: read.plain } : converted(() => read.input(TARGET));
}

const BEFORE =
  'What is approved is what the code receives, so a schema may check values and fill in defaults, and may not change them: convert them in execute()';

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

/** Arguments have names, so whatever else a schema allows, it describes an object. */
function objectSchema(schema: JsonObject): Converted {
  const { type } = schema;
  if (type === undefined || type === 'object') return { ok: true, schema };
  return refuse(`describes ${JSON.stringify(type)}, and arguments are an object`);
}

const refuse = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why });
