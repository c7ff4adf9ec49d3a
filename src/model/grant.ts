import { z } from 'zod';
import { type ArgumentPattern, ArgumentRule } from './argument-rule.ts';
import { canonicalize } from './canonical.ts';
import { type Deciders, DecisionProof, GATE_MODE_APPROVAL } from './gate.ts';
import type { Json } from './json.ts';
import { Instant, Name, Text } from './name.ts';

/**
 * A permission given in advance by a person: one tool, arguments within a pattern, so many uses, so much money, until
 * then. It opens the gate of a mode and no gate with a name of its own, and never that of `destructive`.
 */
export interface StandingGrant {
  readonly kind: 'standing';
  readonly grant_id: string;
  readonly tenant_id: string;
  readonly tool: string;
  readonly arguments: ArgumentPattern;
  readonly uses_max: number;
  /** What all its uses together may cost by the price of the tool. */
  readonly microusd_max: number;
  readonly reason: string;
  readonly approver: string;
  readonly granted_at: Instant;
  readonly expires_at: Instant;
  readonly proof: DecisionProof;
}
export const StandingGrant: z.ZodType<StandingGrant> = z.strictObject({
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
 * Why nobody with these roles can permit in advance what the gate of a mode asks for, or null. A gate that several have
 * to agree to is never opened by one of them alone.
 */
export function whyNotGiver({ roles, quorum }: Deciders, held: readonly string[]): string | null {
  if (quorum > 1) return `${GATE_MODE_APPROVAL} takes ${quorum} people, and a standing grant is one person's word`;
  if (roles.length === 0 || roles.some((role) => held.includes(role))) return null;
  return `${GATE_MODE_APPROVAL} is decided by ${roles.join(' or ')}`;
}

/** What a person writes down, or signs, in order to give one. */
export type GrantTerms = Omit<StandingGrant, 'kind' | 'approver' | 'granted_at' | 'proof'>;

export interface GrantStatement extends GrantTerms {
  readonly key_id: string;
  readonly signed_at: number;
}

/** The bytes that are signed; see `statementText` for the first line. */
export function grantText(statement: GrantStatement): string {
  return `ambit.standing-grant.v1\n${canonicalize(statement as unknown as Json)}`;
}

/** What is signed in order to take a grant back. */
export interface RevocationStatement {
  readonly grant_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

export function revocationText(statement: RevocationStatement): string {
  return `ambit.grant-revocation.v1\n${canonicalize(statement as unknown as Json)}`;
}

/** Somebody who could not permit something in advance, or take it back. It changed nothing, and it is on record. */
export interface RefusedGrant {
  readonly tenant_id: string;
  readonly grant_id: string;
  readonly act: 'give' | 'revoke';
  /** Who it was, as far as that was established; who they said they were, where it was not; else ''. */
  readonly claimed_by: string;
  readonly code: string;
  readonly message: string;
  readonly at: Instant;
}
