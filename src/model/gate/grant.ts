import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { type ArgumentPattern, ArgumentRule } from '../tool/argument-rule.ts';
import { type Deciders, DecisionProof, GATE_MODE_APPROVAL } from './gate.ts';

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
