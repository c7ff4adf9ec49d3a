import { z } from 'zod';
import { exact, exactObject, JsonValue } from '../json/exact.ts';
import { type Json, type JsonObject, own } from '../json/json.ts';
import { sameJson } from '../json/json-at.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { type Deciders, DecisionProof, GATE_MODE_APPROVAL } from './gate.ts';

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

/**
 * A permission that a person gives in advance for one tool: an argument pattern, a number of uses, a cost limit and an
 * expiry. It opens the mode gate only, and never for `destructive` calls.
 */
export interface StandingGrant {
  readonly kind: 'standing';
  readonly grant_id: string;
  readonly tenant_id: string;
  readonly tool: string;
  readonly arguments: ArgumentPattern;
  readonly uses_max: number;
  /** The maximum cost of all uses together, by the price of the tool. */
  readonly microusd_max: number;
  readonly reason: string;
  readonly approver: string;
  readonly granted_at: Instant;
  readonly expires_at: Instant;
  readonly proof: DecisionProof;
}
export const StandingGrant: z.ZodType<StandingGrant> = exactObject({
  kind: z.literal('standing'),
  grant_id: Name,
  tenant_id: Name,
  tool: Name,
  arguments: z.record(z.string().max(200), ArgumentRule),
  uses_max: z.int().positive(),
  microusd_max: z.int().nonnegative(),
  reason: Text,
  approver: Name,
  granted_at: Instant,
  expires_at: Instant,
  proof: DecisionProof,
});

/**
 * Returns why a person with these roles cannot give a grant for the mode gate, or null if they can. One person's grant
 * cannot open a gate with a quorum above one.
 */
export function grantRefusal({ roles, quorum }: Deciders, held: readonly string[]): string | null {
  if (quorum > 1) return `${GATE_MODE_APPROVAL} takes ${quorum} people, and a standing grant is one person's word`;
  if (roles.length === 0 || roles.some((role) => held.includes(role))) return null;
  return `${GATE_MODE_APPROVAL} is decided by ${roles.join(' or ')}`;
}

/** The fields a person writes, or signs, to create a grant. */
export type GrantTerms = Omit<StandingGrant, 'kind' | 'approver' | 'granted_at' | 'proof'>;

export interface GrantStatement extends GrantTerms {
  readonly key_id: string;
  readonly signed_at: number;
}

/** The statement a person signs to revoke a grant. */
export interface RevocationStatement {
  readonly grant_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** A refused attempt to create or revoke a grant. It has no effect other than this record. */
export interface RefusedGrant {
  readonly tenant_id: string;
  readonly grant_id: string;
  readonly act: 'give' | 'revoke';
  /** The verified identity; otherwise the claimed one; otherwise ''. */
  readonly claimed_by: string;
  readonly code: string;
  readonly message: string;
  readonly at: Instant;
}

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
