import type { RefusedGrant, StandingGrant } from '../model/grant.ts';
import type { KeyRevocation } from '../model/signing-key.ts';

/** A standing grant as it is now. */
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
 * The part of the store that knows what was permitted in advance. It stands beside the sessions, because many of them
 * draw on one grant: whether there is something left of it is decided inside the append that uses it.
 */
export interface StandingGrants {
  /** `grant_exists`: an id is given once. */
  giveGrant(grant: StandingGrant): Promise<void>;
  /** `grant_not_found`. From here on no append that uses it is stored. */
  revokeGrant(grantId: string, revocation: KeyRevocation): Promise<void>;
  /** In the order in which they were given, those that are used up, expired or revoked included. */
  standingGrants(filter?: StandingFilter): Promise<readonly StandingRow[]>;
  standingUses(grantId: string): Promise<readonly StandingUse[]>;
  /** Keeps who could not give or revoke one and why, up to `REFUSED_GRANTS_MAX` for each tenant. */
  noteRefusedGrant(refused: RefusedGrant): Promise<void>;
  /** In the order in which they were refused. */
  refusedGrants(filter?: { readonly tenant?: string }): Promise<readonly RefusedGrant[]>;
}

/** A stranger who keeps trying must not be able to fill a store. */
export const REFUSED_GRANTS_MAX = 100;

/** Why a grant cannot be used for this, or null. Asked before a call is cleared, and by every store inside its append. */
export function whyExhausted(row: StandingRow | null, use: StandingUse): string | null {
  if (row === null) return 'there is no such grant';
  const { grant, revoked, uses, microusd } = row;
  if (revoked !== null) return `it was revoked by ${revoked.by}: ${revoked.reason}`;
  if (use.used_at >= grant.expires_at) return 'it has expired';
  if (uses >= grant.uses_max) return `it was good for ${grant.uses_max} calls`;
  if (microusd + use.microusd > grant.microusd_max) return `it was good for ${grant.microusd_max} microusd`;
  return null;
}
