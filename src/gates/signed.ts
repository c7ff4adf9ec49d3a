import type { FaultCode } from '../model/fault.ts';
import type { DecisionProof } from '../model/gate.ts';
import type { SigningKey } from '../model/signing-key.ts';
import type { Established, PresentedDecision, SigningCredential } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/keys.ts';
import type { Signatures } from '../ports/signatures.ts';

/** How long a signature is good for, and how far two clocks may be apart. */
const SIGNATURE_TTL_MS = 15 * 60_000;
const SKEW_MS = 60_000;

/** The one spelling of 64 bytes in base64: a signature that could be written twice could be used twice. */
const ONE_SPELLING = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

export interface SignedRules {
  readonly keys: KeyStore;
  readonly signatures: Signatures;
  readonly clock: Clock;
}

/** A signature counts if a key that is enrolled and still good made it, lately, over exactly this decision. */
export async function establishSigned(
  rules: SignedRules,
  presented: PresentedDecision,
  credential: SigningCredential,
): Promise<Established> {
  const key = await rules.keys.find(credential.keyId);
  if (key === null) return refused(credential.keyId, 'signature_invalid', `there is no key ${credential.keyId}`);
  const problem = problemWith(rules, presented, credential, key);
  if (problem !== null) return refused(key.approver, problem.code, problem.message);
  const proof: DecisionProof = {
    credential: 'signing_key',
    tenant_id: key.tenant_id,
    roles: key.roles,
    key_id: key.key_id,
    signed_at: credential.signedAt,
    signature: credential.signature,
  };
  return { ok: true, approver: key.approver, proof };
}

interface Problem {
  readonly code: FaultCode;
  readonly message: string;
}

function problemWith(
  { signatures, clock }: SignedRules,
  presented: PresentedDecision,
  { keyId, signedAt, signature }: SigningCredential,
  key: SigningKey,
): Problem | null {
  const text = presented.text(keyId, signedAt);
  if (!ONE_SPELLING.test(signature) || !signatures.verify(key.public_key, text, signature)) {
    return { code: 'signature_invalid', message: `the signature is not one of key ${keyId} over this decision` };
  }
  const now = clock.nowMs();
  if (key.revoked !== null)
    return { code: 'signing_key_revoked', message: `key ${keyId} is revoked: ${key.revoked.reason}` };
  if (key.expires_at !== null && now >= key.expires_at) {
    return { code: 'signing_key_revoked', message: `key ${keyId} has expired` };
  }
  const early = signedAt > now + SKEW_MS || signedAt < presented.since - SKEW_MS;
  if (early || now >= signedAt + SIGNATURE_TTL_MS) {
    return {
      code: 'signature_expired',
      message: 'the decision was not signed lately; look at the packet and sign again',
    };
  }
  return null;
}

const refused = (claimedBy: string, code: FaultCode, message: string): Established => ({
  ok: false,
  claimedBy,
  code,
  message,
});
