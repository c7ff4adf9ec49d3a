import type { RecordedDecision } from '../../model/gate/recorded-decision.ts';
import type { SigningKey } from '../../model/gate/signing-key.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { printable } from '../../model/json/printable.ts';
import type { KeyStore, Signatures } from '../../ports/keys.ts';
import type { ProofCheck, Proofs, Unproven, UnprovenCause } from '../../ports/proofs.ts';
import { ONE_SPELLING, SIGNATURE_TTL_MS, SKEW_MS, whyNotValid } from './signature-rules.ts';

interface ProofRules {
  readonly keys: Pick<KeyStore, 'list'>;
  /** The host has an authenticator, so tenants without keys decide without signatures. */
  readonly authenticates: boolean;
  readonly signatures: Signatures;
  readonly firstAltered: Proofs['firstAltered'];
}

/** Checks recorded decisions against the keys that are enrolled now, each as of the time of the decision. */
export function createProofs({ keys, authenticates, signatures, firstAltered }: ProofRules): Proofs {
  return {
    firstAltered,
    checkFor: async (tenantId) => {
      const known = await keys.list(tenantId === null ? {} : { tenantId });
      if (known.length === 0 && authenticates) return null;
      return proofCheck(known, signatures);
    },
  };
}

/** Checks the decisions of another store's runs. Without keys here, none of them is proven. Their import derives them. */
export const foreignProofs = (keys: KeyStore | null, signatures: Signatures): Proofs =>
  createProofs({ keys: keys ?? NO_KEYS, authenticates: false, signatures, firstAltered: async () => null });

const NO_KEYS: Pick<KeyStore, 'list'> = Object.freeze({ list: async () => [] });

/** Returns a check against these keys, which are all keys of the tenant, revoked ones included. */
function proofCheck(known: readonly SigningKey[], signatures: Signatures): ProofCheck {
  const byId = new Map(known.map((key) => [key.key_id, key]));
  const firstKeyAt = known.reduce((first, { enrolled_at }) => Math.min(first, enrolled_at), Number.POSITIVE_INFINITY);
  return (decision) => {
    const { proof, at } = decision;
    if (proof?.credential !== 'signing_key' || proof.key_id === undefined) return unsigned(decision, firstKeyAt);
    const key = byId.get(proof.key_id);
    if (key === undefined)
      return unproven('key_unknown', `no key ${printable(proof.key_id)} of its tenant is enrolled here`);
    const problem = whyNotValid(key, at);
    if (problem !== null) return unproven('key_not_valid', `at the time of the decision, key ${key.key_id} ${problem}`);
    if (!isSigned(decision, key, signatures)) {
      return unproven('signature_invalid', `key ${key.key_id} did not sign this decision at this time`);
    }
    return isOf(decision, key)
      ? null
      : unproven('person_differs', `the record names other people than key ${key.key_id}`);
  };
}

function unsigned({ at }: RecordedDecision, firstKeyAt: number): Unproven {
  if (at >= firstKeyAt || !Number.isFinite(firstKeyAt)) return unproven('unsigned', 'it is not signed');
  return unproven('before_keys', 'it is not signed: it was recorded before the first key was enrolled');
}

/** Whether the key signed exactly this decision, shortly before it was recorded. */
function isSigned({ proof, at, text }: RecordedDecision, key: SigningKey, signatures: Signatures): boolean {
  const { signed_at, signature } = proof ?? {};
  if (signed_at === undefined || signature === undefined || !ONE_SPELLING.test(signature)) return false;
  // The decision was recorded a moment after its signature was accepted, so the limits are one skew wider.
  if (signed_at > at + 2 * SKEW_MS || at >= signed_at + SIGNATURE_TTL_MS + SKEW_MS) return false;
  return signatures.verify(key.public_key, text(key.key_id, signed_at), signature);
}

/** Whether the record names the person, the roles and the tenant of the key. */
function isOf({ by, proof, tenantId }: RecordedDecision, key: SigningKey): boolean {
  if (by !== key.approver || proof?.tenant_id !== key.tenant_id) return false;
  return sameJson([...proof.roles], [...key.roles]) && (tenantId === null || tenantId === key.tenant_id);
}

const unproven = (cause: UnprovenCause, message: string): Unproven => ({ cause, message });
