import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import { Instant, Name, Text } from '../json/name.ts';

/** A public key that verifies a person's decisions, and the roles it covers. The private key is never stored here. */
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

/** Signatures made from `at` on are invalid. */
export interface KeyRevocation {
  readonly at: Instant;
  readonly by: string;
  readonly reason: string;
}
export const KeyRevocation: z.ZodType<KeyRevocation> = exactObject({ at: Instant, by: Name, reason: Text });

export const SigningKey: z.ZodType<SigningKey> = exactObject({
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

/** Folds case and Unicode variants of a name, because most directories treat Ana and ana as the same person. */
const foldName = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase();

/** True if two names may belong to one person, so that one person cannot count twice towards a quorum. */
export const samePerson = (a: string, b: string): boolean => a === b || foldName(a) === foldName(b);
