import { Fault } from '../model/fault.ts';
import type { Deciders } from '../model/gate.ts';
import { parse } from '../model/parse.ts';
import { type Approvers, Credential } from '../ports/approvers.ts';
import type { GateRow } from '../ports/journal-rows.ts';

/** A gate that waits, and who may decide it as its packet says; anybody of its tenant where it names nobody. */
export interface WaitingGate {
  readonly gate: GateRow;
  readonly deciders: Deciders | undefined;
}

/** Who shows a credential at a gate, established as for its decision: `permission_denied` for whoever may not decide it. */
export async function deciderAt(
  approvers: Approvers,
  { gate, deciders }: WaitingGate,
  given: Credential,
  text: (keyId: string, signedAt: number) => string,
): Promise<string> {
  const { tenant_id: tenantId, opened_at: since, gate_id } = gate;
  const credential = parse(Credential, given, 'input_invalid');
  const established = await approvers.establish({ text, credential, tenantId, since });
  if (!established.ok) throw new Fault(established.code, established.message);
  const { approver, proof } = established;
  const roles = deciders?.roles ?? [];
  const admitted = roles.length === 0 || roles.some((role) => proof.roles.includes(role));
  if (proof.tenant_id === tenantId && admitted) return approver;
  throw new Fault('permission_denied', `${approver} does not decide at gate ${gate_id}`);
}
