import { z } from 'zod';
import type { Json, JsonObject } from './json.ts';
import { sameJson } from './json-at.ts';
import { JsonValue } from './json-schema.ts';
import { own } from './own.ts';

/** What one argument may be: one of some values, text that begins so and stays there, a number up to so much, anything. */
export type ArgumentRule =
  | { readonly one_of: readonly Json[] }
  | { readonly prefix: string }
  | { readonly at_most: number }
  | { readonly any: true };
export const ArgumentRule: z.ZodType<ArgumentRule> = z.union(
  [
    z.strictObject({ one_of: z.array(JsonValue).min(1) }),
    z.strictObject({ prefix: z.string().min(1).max(1_000) }),
    z.strictObject({ at_most: z.number() }),
    z.strictObject({ any: z.literal(true) }),
  ],
  'must be { one_of: [values] }, { prefix: "text" }, { at_most: number } or { any: true }',
);

export type ArgumentPattern = Readonly<Record<string, ArgumentRule>>;

/** Whether arguments stay within a pattern. An argument that it does not name is one that nobody has thought of: no. */
export function fitsPattern(pattern: ArgumentPattern, args: JsonObject): boolean {
  return Object.entries(args).every(([name, value]) => {
    const rule = own(pattern, name);
    return rule !== undefined && fitsRule(rule, value);
  });
}

function fitsRule(rule: ArgumentRule, value: Json): boolean {
  if ('any' in rule) return true;
  if ('one_of' in rule) return rule.one_of.some((allowed) => sameJson(allowed, value));
  if ('prefix' in rule) return typeof value === 'string' && value.startsWith(rule.prefix) && !turnsBack(value);
  return typeof value === 'number' && value >= 0 && value <= rule.at_most;
}

/** Parts of a path that are no place, written out or encoded, and characters that cannot be seen. */
const TURNS_BACK = /(^|[/\\])\.{1,2}($|[/\\])|%(2e|2f|5c|25|00)|(?![\t\r\n])[\p{Cc}\p{Cf}]/iu;

/** `team_/../x` begins with `team_` and ends up somewhere else; such a value is within no beginning. */
const turnsBack = (value: string): boolean => TURNS_BACK.test(value) || TURNS_BACK.test(value.normalize('NFKC'));
