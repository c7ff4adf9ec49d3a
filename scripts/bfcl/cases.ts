import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { JsonObject } from '../../src/model/json.ts';
import { JsonRecord } from '../../src/model/json-schema.ts';

/** A call of a case. `jsonschema_valid` is the judgement of whoever made the data, where there is one. */
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

/** One case a line; a file that ends in .gz is unpacked. */
export function readCases(path: string): readonly Case[] {
  const bytes = readFileSync(path);
  const text = path.endsWith('.gz') ? gunzipSync(bytes).toString('utf8') : bytes.toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => Case.parse(JSON.parse(line)));
}

/** Calls that have to pass, and calls that must not. A gold call that its own schema forbids must not. */
export function sortCalls({ gold_calls, invalid_calls = [] }: Case): {
  readonly valid: readonly Call[];
  readonly invalid: readonly Call[];
} {
  const fits = (call: Call): boolean => call.jsonschema_valid !== false;
  return { valid: gold_calls.filter(fits), invalid: [...gold_calls.filter((call) => !fits(call)), ...invalid_calls] };
}
