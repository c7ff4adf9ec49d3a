import { z } from 'zod';
import { exact, JsonValue } from '../json/exact.ts';
import { type Json, type JsonObject, own } from '../json/json.ts';
import { sameJson } from '../json/json-at.ts';

/** The permitted values of one argument: a list, text with a prefix, a number from 0 to a maximum, or any. */
export type ArgumentRule =
  | { readonly one_of: readonly Json[] }
  | { readonly prefix: string }
  | { readonly at_most: number }
  | { readonly any: true };
export const ArgumentRule: z.ZodType<ArgumentRule> = exact(
  z.union(
    [
      z.strictObject({ one_of: z.array(JsonValue).min(1) }),
      z.strictObject({ prefix: z.string().min(1).max(1_000) }),
      z.strictObject({ at_most: z.number() }),
      z.strictObject({ any: z.literal(true) }),
    ],
    'must be { one_of: [values] }, { prefix: "text" }, { at_most: number } or { any: true }',
  ),
);

export type ArgumentPattern = Readonly<Record<string, ArgumentRule>>;

/** Checks that every argument fits its rule. An argument without a rule does not fit. */
export function fitsPattern(pattern: ArgumentPattern, args: JsonObject): boolean {
  return Object.entries(args).every(([name, value]) => {
    const rule = own(pattern, name);
    return rule !== undefined && fitsRule(rule, value);
  });
}

function fitsRule(rule: ArgumentRule, value: Json): boolean {
  if ('any' in rule) return true;
  if ('one_of' in rule) return rule.one_of.some((allowed) => sameJson(allowed, value));
  if ('prefix' in rule) return typeof value === 'string' && value.startsWith(rule.prefix) && !escapesPrefix(value);
  return typeof value === 'number' && value >= 0 && value <= rule.at_most;
}

/** `.` and `..` path segments, their percent-encoded forms, and invisible characters. */
const PREFIX_ESCAPE = /(^|[/\\])\.{1,2}($|[/\\])|%(2e|2f|5c|25|00)|(?![\t\r\n])[\p{Cc}\p{Cf}]/iu;

/** Detects values such as `team_/../x`, which start with the prefix `team_` but resolve to another place. */
const escapesPrefix = (value: string): boolean =>
  PREFIX_ESCAPE.test(value) || PREFIX_ESCAPE.test(value.normalize('NFKC'));
