import type { ApprovalPacket } from '../model/approval-packet.ts';
import { canonicalize } from '../model/canonical.ts';
import { Fault } from '../model/fault.ts';
import type { Address } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { Name, Statement } from '../model/name.ts';
import { parse } from '../model/parse.ts';
import { samePerson } from '../model/same-person.ts';
import { isSealed } from '../model/sealed.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import type { Clock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Erasure, Look, SealedTenant, Vault } from '../ports/vault.ts';
import { deciderAt } from './gate-decider.ts';

/** What is kept sealed, for whoever answers for it. */
export interface VaultDesk {
  /**
   * Destroys the key of a tenant and with it everything that was sealed for it. There is no way back. Runs stay what
   * they are and replay as before; a call that would need what was sealed is refused. Where nothing was ever sealed it is
   * `sealed_unknown`, and where nothing was since it was erased, `sealed_erased`.
   */
  erase(tenantId: string, order: { readonly credential: Credential; readonly reason: string }): Promise<void>;
  erasures(tenantId: string): Promise<readonly Erasure[]>;
  /**
   * What a handle in the packet of an open gate stands for, to somebody who may decide that gate. That they looked is
   * kept. It is for their eyes: nothing of it gets into the run.
   */
  reveal(gateId: string, handle: string, credential: Credential): Promise<Json>;
  /** For whom something is or was sealed, and how much: no value, and no handle. */
  tenants(): Promise<readonly SealedTenant[]>;
  /** Who looked at what, and when. */
  looks(tenantId: string): Promise<readonly Look[]>;
}

export interface VaultRoom {
  readonly vault: Vault | undefined;
  readonly journal: Pick<Journal, 'gates' | 'blob'>;
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

/** What somebody who has a key signs to look at a sealed value. */
export interface LookStatement {
  readonly gate_id: string;
  readonly handle: string;
  readonly key_id: string;
  readonly signed_at: number;
}
export const lookText = (statement: LookStatement): string =>
  `ambit.look.v1\n${canonicalize(statement as unknown as Json)}`;

export function vaultDesk(room: VaultRoom): VaultDesk {
  const { vault, approvers, clock, operatorRole = 'operator' } = room;
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
    reveal: async (gateId, handle, credential) => {
      const gate_id = parse(Name, gateId, 'input_invalid');
      const [gate] = await room.journal.gates({ gate: gate_id, statuses: ['open'], limit: 1 });
      if (gate === undefined) throw new Fault('gate_not_found', `there is no open gate ${gate_id}`);
      const packet = await room.journal.blob(gate.packet_hash as Address);
      if (!isSealed(handle) || !packet.includes(JSON.stringify(handle))) {
        throw new Fault('sealed_unknown', `the gate ${gate.name} does not show such a handle`);
      }
      const { requested_by, deciders } = JSON.parse(packet) as Pick<ApprovalPacket, 'requested_by' | 'deciders'>;
      const by = await deciderAt(approvers, { gate, deciders }, credential, (key_id, signed_at) =>
        lookText({ gate_id, handle, key_id, signed_at }),
      );
      if (samePerson(by, requested_by)) {
        throw new Fault('permission_denied', `${by} asked for what ${gate.name} decides, and so may not look`);
      }
      const look = { tenant_id: gate.tenant_id, handle, gate_id, by, at: clock.nowMs() };
      return JSON.parse(await kept().reveal(look)) as Json;
    },
    tenants: async () => await kept().tenants(),
    looks: async (tenantId) => await kept().looks(parse(Name, tenantId, 'input_invalid')),
    erasures: async (tenantId) => await kept().erasures(parse(Name, tenantId, 'input_invalid')),
  };
}
