import { z } from 'zod';
import { JsonRecord } from '../../src/model/json/exact.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import { readLines } from '../command-line/read-cases.ts';

/** A call of a case. `jsonschema_valid` is the verdict of the data's authors, if they gave one. */
export interface Call {
  readonly function: string;
  readonly args: JsonObject;
  readonly jsonschema_valid?: boolean;
}
const Call: z.ZodType<Call> = z.object({
  function: z.string(),
  args: JsonRecord,
  jsonschema_valid: z.boolean().exactOptional(),
});

export interface Case {
  readonly id: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly input_schema: JsonObject }[];
  readonly gold_calls: readonly Call[];
  readonly invalid_calls?: readonly Call[];
}
const Case: z.ZodType<Case> = z.object({
  id: z.string(),
  tools: z.array(z.object({ name: z.string(), description: z.string(), input_schema: JsonRecord })),
  gold_calls: z.array(Call),
  invalid_calls: z.array(Call).exactOptional(),
});

/** Reads the cases of a file. Returns a text with the reason if there are none. */
export const readCases = (path: string): readonly Case[] | string => readLines(Case, path);

/** Splits calls into those that must pass and those that must not, such as a gold call that violates its schema. */
export function sortCalls({ gold_calls, invalid_calls = [] }: Case): {
  readonly valid: readonly Call[];
  readonly invalid: readonly Call[];
} {
  const fits = (call: Call): boolean => call.jsonschema_valid !== false;
  return { valid: gold_calls.filter(fits), invalid: [...gold_calls.filter((call) => !fits(call)), ...invalid_calls] };
}
