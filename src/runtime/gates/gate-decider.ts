import { Fault } from '../../model/fault/fault.ts';
import type { Deciders } from '../../model/gate/gate.ts';
import { parse } from '../../model/json/parse.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { GateRow } from '../../ports/journal/rows.ts';

/** An open gate and the deciders that its packet names. Without deciders, every member of the tenant may decide. */
export interface WaitingGate {
  readonly gate: GateRow;
  readonly deciders: Deciders | undefined;
}

/** Authenticates a person as for a decision on this gate. Throws `permission_denied` if they may not decide it. */
export async function authenticateDecider(
  approvers: Approvers,
  { gate, deciders }: WaitingGate,
  input: Credential,
  text: (keyId: string, signedAt: number) => string,
): Promise<string> {
  const { tenant_id: tenantId, opened_at: since, gate_id } = gate;
  const credential = parse(Credential, input, 'input_invalid');
  const established = await approvers.establish({ text, credential, tenantId, since });
  if (!established.ok) throw new Fault(established.code, established.message);
  const { approver, proof } = established;
  const roles = deciders?.roles ?? [];
  const admitted = roles.length === 0 || roles.some((role) => proof.roles.includes(role));
  if (proof.tenant_id === tenantId && admitted) return approver;
  throw new Fault('permission_denied', `${approver} may not decide gate ${gate_id}`);
}
