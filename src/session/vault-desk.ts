import { canonicalize } from '../model/canonical.ts';
import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import { Name, Statement } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Erasure, Vault } from '../ports/vault.ts';

/** What is kept sealed, for whoever answers for it. */
export interface VaultDesk {
  /**
   * Destroys the key of a tenant and with it everything that was sealed for it. There is no way back. Runs stay what
   * they are and replay as before; a call that would need what was sealed is refused.
   */
  erase(tenantId: string, order: { readonly credential: Credential; readonly reason: string }): Promise<void>;
  erasures(tenantId: string): Promise<readonly Erasure[]>;
}

export interface VaultRoom {
  readonly vault: Vault | undefined;
  readonly approvers: Approvers;
  readonly clock: Clock;
  /** Whoever erases has this role; `operator` where nothing is said. */
  readonly operatorRole: string | undefined;
}

/** What somebody who has a key signs. */
export interface ErasureStatement {
  readonly tenant_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}
export const erasureText = (statement: ErasureStatement): string =>
  `ambit.erasure.v1\n${canonicalize(statement as unknown as Json)}`;

export function vaultDesk({ vault, approvers, clock, operatorRole = 'operator' }: VaultRoom): VaultDesk {
  const kept = (): Vault => {
    if (vault !== undefined) return vault;
    throw new Fault(
      'input_missing',
      "nothing is sealed here: there is no vault, such as world.vault: vaults.inFile('…')",
    );
  };
  return {
    erase: async (tenantId, { credential, reason }) => {
      const tenant_id = parse(Name, tenantId, 'input_invalid');
      const said = parse(Statement, reason, 'input_invalid');
      const found = await approvers.establish({
        text: (key_id, signed_at) => erasureText({ tenant_id, reason: said, key_id, signed_at }),
        credential: parse(Credential, credential, 'input_invalid'),
        tenantId: tenant_id,
        since: 0,
      });
      if (!found.ok) throw new Fault(found.code, found.message);
      const { approver, proof } = found;
      if (proof.tenant_id !== tenant_id || !proof.roles.includes(operatorRole)) {
        const message = `what is sealed for ${tenant_id} is erased by somebody of it with the role ${operatorRole}, which ${approver} is not`;
        throw new Fault('permission_denied', message);
      }
      await kept().erase({ tenant_id, by: approver, reason: said, at: clock.nowMs() });
    },
    erasures: async (tenantId) => await kept().erasures(parse(Name, tenantId, 'input_invalid')),
  };
}
