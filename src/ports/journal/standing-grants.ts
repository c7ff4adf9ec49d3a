import type { RefusedGrant, StandingGrant } from '../../model/gate/grant.ts';
import type { KeyRevocation } from '../../model/gate/signing-key.ts';

/** A standing grant with its current usage. */
export interface StandingRow {
  readonly grant: StandingGrant;
  readonly revoked: KeyRevocation | null;
  readonly uses: number;
  readonly microusd: number;
}

/** One use of a standing grant, written by the append of the intent that needed it. */
export interface StandingUse {
  readonly grant_id: string;
  readonly session_id: string;
  readonly step_id: string;
  readonly used_at: number;
  readonly microusd: number;
}

export interface StandingFilter {
  readonly tenant?: string;
  readonly tool?: string;
}

/**
 * The standing grants of the store. They are kept apart from sessions because many sessions draw on one grant; the
 * append that uses a grant checks what is left of it.
 */
export interface StandingGrants {
  /** `grant_exists`: a grant id is used once. */
  giveGrant(grant: StandingGrant): Promise<void>;
  /** `grant_not_found`. From here on the store refuses every append that uses the grant. */
  revokeGrant(grantId: string, revocation: KeyRevocation): Promise<void>;
  /** Returns the grants in the order in which they were given, including used up, expired and revoked ones. */
  standingGrants(filter?: StandingFilter): Promise<readonly StandingRow[]>;
  standingUses(grantId: string): Promise<readonly StandingUse[]>;
  /** Records who failed to give or revoke a grant and why, at most `REFUSED_GRANTS_MAX` per tenant. */
  noteRefusedGrant(refused: RefusedGrant): Promise<void>;
  /** Returns the refusals, oldest first. */
  refusedGrants(filter?: { readonly tenant?: string }): Promise<readonly RefusedGrant[]>;
}

/** Limits the recorded refusals, so that repeated attempts cannot fill a store. */
export const REFUSED_GRANTS_MAX = 100;

/** Returns why a grant does not cover this use, or null. Checked before clearing a call and inside the append. */
export function whyExhausted(row: StandingRow | null, use: StandingUse): string | null {
  if (row === null) return 'there is no such grant';
  const { grant, revoked, uses, microusd } = row;
  if (revoked !== null) return `it was revoked by ${revoked.by}: ${revoked.reason}`;
  if (use.used_at >= grant.expires_at) return 'it has expired';
  if (uses >= grant.uses_max) return `it was good for ${grant.uses_max} calls`;
  if (microusd + use.microusd > grant.microusd_max) return `it was good for ${grant.microusd_max} microusd`;
  return null;
}
