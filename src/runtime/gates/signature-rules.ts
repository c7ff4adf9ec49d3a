import type { SigningKey } from '../../model/gate/signing-key.ts';

/** How long a signature is valid, and the clock skew that is tolerated. */
export const SIGNATURE_TTL_MS: number = 15 * 60_000;
export const SKEW_MS = 60_000;

/** The canonical base64 form of 64 bytes. A signature with a second spelling could be used twice. */
export const ONE_SPELLING: RegExp = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** Why a key cannot decide at this time, as the end of a sentence; null if it can. */
export function whyNotValid({ enrolled_at, expires_at, revoked }: SigningKey, at: number): string | null {
  if (at < enrolled_at - SKEW_MS) return `is enrolled from ${new Date(enrolled_at).toISOString()} on`;
  if (revoked !== null && at >= revoked.at) return `is revoked: ${revoked.reason}`;
  return expires_at !== null && at >= expires_at ? 'has expired' : null;
}
