import { asSchema, type FlexibleSchema } from 'ai';
import { canonicalize } from '../../model/canonical.ts';
import { Fault } from '../../model/fault.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import { reasonOf } from '../../model/printable.ts';
import { takeJson } from '../../model/take-json.ts';

/** A schema of any kind the AI SDK takes (Zod, Standard Schema, JSON Schema), as JSON Schema. */
export async function jsonSchemaOf(name: string, given: FlexibleSchema<unknown>): Promise<JsonObject> {
  try {
    // A converter may leave a mark of its own on what it returns; only what is JSON in it is a schema.
    return takeJson(JSON.parse(JSON.stringify(await asSchema(given).jsonSchema))) as JsonObject;
  } catch (cause) {
    const message = `a schema of ${name} cannot be written as JSON Schema: ${reasonOf(cause)}`;
    throw new Fault('input_invalid', message, { path: pointerToken(name), cause });
  }
}

/** The value as its schema reads it. */
export async function parsedBy(name: string, given: FlexibleSchema<unknown>, value: unknown): Promise<unknown> {
  const { validate } = asSchema(given);
  if (validate === undefined) return value;
  const result = await validate(value);
  if (result.success) return result.value;
  throw new Fault('argument_invalid', `${name}: ${reasonOf(result.error)}`, { cause: result.error });
}

export const CHANGES = 'its schema would change these arguments: write them as it would leave them';

/** What was approved is what runs: arguments that the tool's own schema would turn into others are refused. */
export async function assertUnchanged(name: string, given: FlexibleSchema<unknown>, args: JsonObject): Promise<void> {
  if (isSame(await parsedBy(name, given, args), args)) return;
  throw new Fault('argument_invalid', `${name}: ${CHANGES}`);
}

export function isSame(parsed: unknown, args: Json): boolean {
  try {
    return canonicalize(takeJson(parsed)) === canonicalize(args);
  } catch {
    // What is not even JSON any more is not what was approved.
    return false;
  }
}
