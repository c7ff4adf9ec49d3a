import { Fault } from '../../model/fault/fault.ts';
import type { ApprovalPacket } from '../../model/gate/approval-packet.ts';
import { packetGates } from '../../model/gate/gate-terms.ts';
import { samePerson } from '../../model/gate/signing-key.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Address } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { Name, Statement } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { isSealedHandle } from '../../model/json/sealed.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { GateRow } from '../../ports/journal/rows.ts';
import type { Erasure, SealedTenant, Vault, VaultAccess } from '../../ports/store/vault.ts';
import { authenticateDecider } from '../gates/approvers.ts';

/** Administers sealed values. */
export interface VaultAdmin {
  /**
   * Destroys the key of a tenant, and with it every value sealed for that tenant. It cannot be undone. Runs still
   * replay; a call that needs a sealed value is refused. The fault is `sealed_unknown` if nothing was ever sealed, and
   * `sealed_erased` if nothing was sealed since the last erasure.
   */
  erase(tenantId: string, order: { readonly credential: Credential; readonly reason: string }): Promise<void>;
  erasures(tenantId: string): Promise<readonly Erasure[]>;
  /**
   * Returns the value of a handle in an open gate's packet to a person who may decide that gate. The vault records the
   * access. The value does not enter the run.
   */
  reveal(gateId: string, handle: string, credential: Credential): Promise<Json>;
  /** Stores a value for the tenant of an open gate and returns its handle, for arguments that a person edits and signs. */
  seal(gateId: string, value: Json): Promise<string>;
  /** The tenants with sealed values and how many each has; no values and no handles. */
  tenants(): Promise<readonly SealedTenant[]>;
  /** Who revealed which handle, and when. */
  looks(tenantId: string): Promise<readonly VaultAccess[]>;
}

export interface VaultDeps {
  readonly vault: Vault | undefined;
  readonly journal: Pick<Journal, 'gates' | 'blob'>;
  readonly approvers: Approvers;
  readonly clock: Clock;
  /** The role required to erase; `operator` by default. */
  readonly operatorRole: string | undefined;
}

export function createVaultAdmin(deps: VaultDeps): VaultAdmin {
  const { vault, approvers, clock, operatorRole = 'operator' } = deps;
  const requireVault = (): Vault => {
    if (vault !== undefined) return vault;
    throw new Fault('input_missing', "this runtime has no vault: set world.vault, such as vaults.inFile('vault.db')");
  };
  return {
    erase: async (tenantId, { credential, reason }) => {
      const tenant_id = parse(Name, tenantId, 'input_invalid');
      const statement = parse(Statement, reason, 'input_invalid');
      const found = await approvers.establish({
        text: (key_id, signed_at) => signingText.erasure({ tenant_id, reason: statement, key_id, signed_at }),
        credential: parse(Credential, credential, 'input_invalid'),
        tenantId: tenant_id,
        since: 0,
      });
      if (!found.ok) throw new Fault(found.code, found.message);
      const { approver, proof } = found;
      if (proof.tenant_id !== tenant_id || !proof.roles.includes(operatorRole)) {
        const message = `erasing the sealed values of ${tenant_id} needs a member of that tenant with the role ${operatorRole}; ${approver} is not one`;
        throw new Fault('permission_denied', message);
      }
      await requireVault().erase({ tenant_id, by: approver, reason: statement, at: clock.nowMs() });
    },
    seal: async (gateId, value) => {
      const { tenant_id } = await openGate(deps, parse(Name, gateId, 'input_invalid'));
      return await requireVault().seal(tenant_id, canonicalize(takeJson(value)));
    },
    reveal: async (gateId, handle, credential) => {
      const gate_id = parse(Name, gateId, 'input_invalid');
      const gate = await openGate(deps, gate_id);
      const packet = await deps.journal.blob(gate.packet_hash as Address);
      if (!isSealedHandle(handle) || !packet.includes(JSON.stringify(handle))) {
        throw new Fault('sealed_unknown', `the packet of the gate ${gate.name} does not contain this handle`);
      }
      const shown = JSON.parse(packet) as ShownPacket;
      const by = await authenticateDecider(
        approvers,
        { gate, gates: packetGates(shown) },
        credential,
        (key_id, signed_at) => signingText.look({ gate_id, handle, key_id, signed_at }),
      );
      if (samePerson(by, shown.requested_by)) {
        throw new Fault(
          'permission_denied',
          `${by} requested the action that ${gate.name} decides, and so may not read its sealed values`,
        );
      }
      const look = { tenant_id: gate.tenant_id, handle, gate_id, by, at: clock.nowMs() };
      return JSON.parse(await requireVault().reveal(look)) as Json;
    },
    tenants: async () => await requireVault().tenants(),
    looks: async (tenantId) => await requireVault().accesses(parse(Name, tenantId, 'input_invalid')),
    erasures: async (tenantId) => await requireVault().erasures(parse(Name, tenantId, 'input_invalid')),
  };
}

type ShownPacket = Pick<ApprovalPacket, 'requested_by' | 'gate' | 'deciders' | 'gates'>;

async function openGate({ journal }: Pick<VaultDeps, 'journal'>, gate: string): Promise<GateRow> {
  const [row] = await journal.gates({ gate, statuses: ['open'], limit: 1 });
  if (row === undefined) throw new Fault('gate_not_found', `there is no open gate ${gate}`);
  return row;
}
