import { z } from 'zod';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import type { DecisionProof } from '../../model/gate/gate.ts';
import { admitsRoles, type NamedGate } from '../../model/gate/gate-terms.ts';
import type { SigningKey } from '../../model/gate/signing-key.ts';
import { Name } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import {
  type Approvers,
  type Authenticator,
  Credential,
  type Established,
  type Person,
  type PresentedDecision,
  type SigningCredential,
} from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GateRow } from '../../ports/journal/rows.ts';
import type { KeyStore, Signatures } from '../../ports/keys.ts';
import { ONE_SPELLING, SIGNATURE_TTL_MS, SKEW_MS, whyNotValid } from './signature-rules.ts';

interface ApproverRules extends Omit<SignedRules, 'keys'> {
  /** Null if no keys are enrolled; then every signature is rejected. */
  readonly keys: SignedRules['keys'] | null;
  readonly authenticator: Authenticator | null;
}

/** Trusts the process to name the decider. Not used if keys are enrolled: decisions then need a signature. */
const localOperator: Authenticator = {
  identify: async (credential, tenantId) =>
    credential.kind === 'local_operator' ? { name: credential.name, tenantId, roles: credential.roles ?? [] } : null,
};

export function createApprovers({ keys, authenticator, signatures, clock }: ApproverRules): Approvers {
  const others = authenticator ?? (keys === null ? localOperator : null);
  return {
    establish: async (presented) => {
      const { credential } = presented;
      if (credential.kind === 'signing_key') {
        if (keys === null) return unidentified(presented, 'no keys are enrolled here, so no signature can be checked');
        return await authenticateSigned({ keys, signatures, clock }, presented, credential);
      }
      if (others === null) return unidentified(presented, 'here a decision has to be signed with an enrolled key');
      return await identify(others, presented, credential);
    },
    // An unknown key counts as revoked.
    isRevoked: async (keyId) => {
      const key = keys === null ? null : await keys.find(keyId);
      return key === null || key.revoked !== null;
    },
  };
}

async function identify(
  authenticator: Authenticator,
  presented: PresentedDecision,
  credential: Exclude<Credential, { kind: 'signing_key' }>,
): Promise<Established> {
  const person = await readPerson(authenticator, presented, credential);
  if (person === null) return unidentified(presented, 'the authenticator does not know this credential');
  if (!Name.safeParse(person.name).success) {
    const message =
      'a gate can only be decided by a named person: one name without blanks, such as ana or ana@example.com';
    return { ok: false, claimedBy: '', code: 'approver_missing', message };
  }
  const { name, tenantId, roles } = person;
  return { ok: true, approver: name, proof: { credential: credential.kind, tenant_id: tenantId, roles } };
}

/** A person as an authenticator names them. The name is checked afterwards, with a message of its own. */
const Identified: z.ZodType<Person> = z.object({ name: z.string(), tenantId: Name, roles: z.array(Name) });

/**
 * Asks the authenticator. One that throws, promises something else than a person, or returns no promise has identified
 * no one: a decision never counts because its authentication failed.
 */
async function readPerson(
  authenticator: Authenticator,
  { tenantId: tenant }: PresentedDecision,
  credential: Exclude<Credential, { kind: 'signing_key' }>,
): Promise<Person | null> {
  try {
    const answer = authenticator.identify(credential, tenant);
    if (typeof answer.then !== 'function') return null;
    const person = await answer;
    if (person === null) return null;
    const { name, tenantId, roles } = person;
    return Identified.parse({ name, tenantId, roles });
  } catch {
    return null;
  }
}

function unidentified({ credential }: PresentedDecision, message: string): Established {
  return { ok: false, claimedBy: claimOf(credential), code: 'credential_unknown', message };
}

/** The claimed name, or an empty string if it is not a valid name. */
function claimOf(credential: Credential): string {
  const claim = credential.kind === 'local_operator' ? credential.name : '';
  return Name.safeParse(claim).success ? claim : '';
}

interface SignedRules {
  readonly keys: KeyStore;
  readonly signatures: Signatures;
  readonly clock: Clock;
}

/** Accepts a signature if an enrolled, valid key made it recently over exactly this decision. */
async function authenticateSigned(
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
  const invalid = whyNotValid(key, now);
  if (invalid !== null) return { code: 'signing_key_revoked', message: `key ${keyId} ${invalid}` };
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

/** An open gate and the deciders that its packet names for each gate of the call. */
export interface WaitingGate {
  readonly gate: GateRow;
  readonly gates: readonly NamedGate[];
}

/** Authenticates a person as for a decision on this gate. Throws `permission_denied` if they may not decide it. */
export async function authenticateDecider(
  approvers: Approvers,
  { gate, gates }: WaitingGate,
  input: Credential,
  text: (keyId: string, signedAt: number) => string,
): Promise<string> {
  const { tenant_id: tenantId, opened_at: since, gate_id } = gate;
  const credential = parse(Credential, input, 'input_invalid');
  const established = await approvers.establish({ text, credential, tenantId, since });
  if (!established.ok) throw new Fault(established.code, established.message);
  const { approver, proof } = established;
  const admitted = gates.some(({ deciders }) => admitsRoles(deciders, proof.roles));
  if (proof.tenant_id === tenantId && admitted) return approver;
  throw new Fault('permission_denied', `${approver} may not decide gate ${gate_id}`);
}
