import { asSchema, type FlexibleSchema } from 'ai';
import { Fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { reasonOf } from '../../model/printable.ts';
import { takeJson } from '../../model/take-json.ts';

/** A schema of any kind the AI SDK takes (Zod, Standard Schema, JSON Schema), in the two ways it is used here. */
export interface ToolSchema {
  readonly jsonSchema: Promise<JsonObject>;
  validate(value: unknown): Promise<{ readonly value: unknown } | { readonly error: unknown }>;
}

export function schemaOf(given: FlexibleSchema<unknown>): ToolSchema {
  const schema = asSchema(given);
  return {
    // A converter may leave a mark of its own on what it returns; only what is JSON in it is a schema.
    jsonSchema: Promise.resolve(schema.jsonSchema).then(
      (json) => takeJson(JSON.parse(JSON.stringify(json))) as JsonObject,
    ),
    validate: async (value) => {
      if (schema.validate === undefined) return { value };
      const result = await schema.validate(value);
      return result.success ? { value: result.value } : { error: result.error };
    },
  };
}

/** The value as the tool's own schema reads it: defaults filled in and types turned, as its code expects. */
export async function parsedBy(name: string, schema: ToolSchema, value: unknown): Promise<unknown> {
  const result = await schema.validate(value);
  if ('value' in result) return result.value;
  throw new Fault('argument_invalid', `${name}: ${reasonOf(result.error)}`, { cause: result.error });
}
