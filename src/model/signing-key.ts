import { z } from 'zod';
import { Instant, Name, Text } from './name.ts';

/** A public key under which a person's decisions are believed, and for what. The private one never comes here. */
export interface SigningKey {
  readonly key_id: string;
  readonly approver: string;
  readonly tenant_id: string;
  readonly roles: readonly string[];
  /** Ed25519, as SubjectPublicKeyInfo in base64. */
  readonly public_key: string;
  readonly enrolled_at: Instant;
  readonly enrolled_by: string;
  readonly expires_at: Instant | null;
  readonly revoked: KeyRevocation | null;
}

/** From `at` on nothing counts that the key signs. */
export interface KeyRevocation {
  readonly at: Instant;
  readonly by: string;
  readonly reason: string;
}
export const KeyRevocation: z.ZodType<KeyRevocation> = z.strictObject({ at: Instant, by: Name, reason: Text });

export const SigningKey: z.ZodType<SigningKey> = z.strictObject({
  key_id: Name,
  approver: Name,
  tenant_id: Name,
  roles: z.array(Name),
  public_key: z.base64().max(500),
  enrolled_at: Instant,
  enrolled_by: Name,
  expires_at: Instant.nullable(),
  revoked: KeyRevocation.nullable(),
});
