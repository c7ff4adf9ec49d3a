import type { ApproverOptions, Approvers } from '../../ports/approvers.ts';
import type { KillSwitchStore } from '../../ports/journal/kill-switches.ts';
import type { KeyStore, Signatures } from '../../ports/keys.ts';
import type { Proofs } from '../../ports/proofs.ts';
import type { HostOptions } from '../../session/host.ts';
import { OPERATOR_ROLE } from '../admin/kill-switches.ts';
import { createApprovers } from './approvers.ts';
import { createProofs } from './proofs.ts';
import { provenSwitches } from './proven-switches.ts';

/** How a runtime identifies the people who decide, and checks what they have decided before. */
export interface DeciderParts {
  readonly keys: KeyStore | null;
  readonly operatorRole: string;
  readonly approvers: Approvers;
  /** Absent if decisions are not signed. */
  readonly proofs?: Proofs;
  readonly switches: Pick<KillSwitchStore, 'killSwitches'>;
}

/** Deciders are authenticated with keys or the host's authenticator; the machine provides neither. */
export function deciderParts(
  options: ApproverOptions,
  { journal, ports }: Pick<HostOptions, 'journal' | 'ports'>,
  { signatures, firstAltered }: Pick<Proofs, 'firstAltered'> & { readonly signatures: Signatures },
): DeciderParts {
  const { operatorRole = OPERATOR_ROLE } = options;
  const keys = options.keys ?? null;
  const authenticator = options.authenticator ?? null;
  const approvers = createApprovers({ keys, authenticator, signatures, clock: ports.clock });
  if (keys === null) return { keys, operatorRole, approvers, switches: journal };
  const proofs = createProofs({ keys, authenticates: authenticator !== null, signatures, firstAltered });
  return { keys, operatorRole, approvers, proofs, switches: provenSwitches(journal, proofs, operatorRole) };
}
