import { Name } from '../model/name.ts';
import type { Approvers, Authenticator, Credential, Established, PresentedDecision } from '../ports/approvers.ts';
import { establishSigned, type SignedRules } from './signed.ts';

export interface ApproverRules extends Omit<SignedRules, 'keys'> {
  /** Null where no keys are enrolled: then nothing that is signed is believed. */
  readonly keys: SignedRules['keys'] | null;
  readonly authenticator: Authenticator | null;
}

/** Whoever runs the process is believed about who decided. Not where keys are enrolled: there it takes a signature. */
const localOperator: Authenticator = {
  identify: async (credential, tenantId) =>
    credential.kind === 'local_operator' ? { name: credential.name, tenantId, roles: credential.roles ?? [] } : null,
};

export function approversOf({ keys, authenticator, signatures, clock }: ApproverRules): Approvers {
  const others = authenticator ?? (keys === null ? localOperator : null);
  return {
    establish: async (presented) => {
      const { credential } = presented;
      if (credential.kind === 'signing_key') {
        if (keys === null) return nobody(presented, 'no keys are enrolled here, so no signature can be checked');
        return await establishSigned({ keys, signatures, clock }, presented, credential);
      }
      if (others === null) return nobody(presented, 'here a decision has to be signed with an enrolled key');
      return await identified(others, presented, credential);
    },
    // Nobody vouches any more for a key that is not here.
    isRevoked: async (keyId) => {
      const key = keys === null ? null : await keys.find(keyId);
      return key === null || key.revoked !== null;
    },
  };
}

async function identified(
  authenticator: Authenticator,
  presented: PresentedDecision,
  credential: Exclude<Credential, { kind: 'signing_key' }>,
): Promise<Established> {
  // An authenticator that breaks has identified nobody.
  const person = await authenticator.identify(credential, presented.tenantId).catch(() => null);
  if (person === null) return nobody(presented, 'nobody is known under this credential');
  if (!Name.safeParse(person.name).success) {
    const message =
      'a gate can only be decided by a named person: one name without blanks, such as ana or ana@example.com';
    return { ok: false, claimedBy: '', code: 'approver_missing', message };
  }
  const { name, tenantId, roles } = person;
  return { ok: true, approver: name, proof: { credential: credential.kind, tenant_id: tenantId, roles } };
}

function nobody({ credential }: PresentedDecision, message: string): Established {
  return { ok: false, claimedBy: claimOf(credential), code: 'credential_unknown', message };
}

/** Who they say they are, as far as that can be written down. */
function claimOf(credential: Credential): string {
  const claim = credential.kind === 'local_operator' ? credential.name : '';
  return Name.safeParse(claim).success ? claim : '';
}
