import { existsSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { JsonRecord } from '../../src/model/json/exact.ts';
import type { JsonObject } from '../../src/model/json/json.ts';

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

/** Reads one case per line and unpacks a `.gz` file. Returns a text with the reason if there are no cases. */
export function readCases(path: string): readonly Case[] | string {
  if (!existsSync(path)) return 'no such file';
  if (statSync(path).isDirectory()) return 'is a folder';
  const lines = textOf(path)?.split('\n') ?? null;
  if (lines === null) return 'cannot be unpacked';
  const cases: Case[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const read = Case.safeParse(jsonOf(line));
    if (!read.success) return `line ${index + 1} is not a case (${problemOf(read.error)})`;
    cases.push(read.data);
  }
  return cases.length === 0 ? 'is empty' : cases;
}

function textOf(path: string): string | null {
  const bytes = readFileSync(path);
  if (!path.endsWith('.gz')) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes).toString('utf8');
  } catch {
    return null;
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const problemOf = ({ issues: [first] }: z.ZodError): string =>
  first === undefined || first.path.length === 0 ? 'not a JSON object' : `${first.path.join('.')}: ${first.message}`;

/** Splits calls into those that must pass and those that must not, such as a gold call that violates its schema. */
export function sortCalls({ gold_calls, invalid_calls = [] }: Case): {
  readonly valid: readonly Call[];
  readonly invalid: readonly Call[];
} {
  const fits = (call: Call): boolean => call.jsonschema_valid !== false;
  return { valid: gold_calls.filter(fits), invalid: [...gold_calls.filter((call) => !fits(call)), ...invalid_calls] };
}
