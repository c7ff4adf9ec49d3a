import { z } from 'zod';
import { ContentAddress } from './content-address.ts';
import { Endpoint } from './escalation.ts';
import { Provenance } from './evidence.ts';
import { GateKind } from './gate.ts';
import type { Address } from './hash.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name, Statement } from './name.ts';
import { Pointer } from './pointer.ts';
import { RiskClass } from './risk.ts';
import { ToolCost } from './tool.ts';

/**
 * All that a person needs in order to decide, frozen. Its address is what they approve: change one
 * argument, the plan or the evidence, and the approval no longer fits.
 */
export interface ApprovalPacket {
  readonly gate: string;
  readonly kind: GateKind;
  readonly run_id: string;
  readonly step_id: string | null;
  readonly action: string;
  /** The very arguments that will be sent, bindings resolved. */
  readonly parameters: JsonObject;
  readonly args_hash: Address;
  readonly plan_id: string | null;
  readonly plan_hash: Address | null;
  readonly evidence_refs: readonly string[];
  /** Address of the evidence as it was when the action was proposed. */
  readonly evidence_hash: Address;
  readonly blast_radius: string;
  readonly rollback_path: string;
  readonly cost: ToolCost;
  readonly risk: RiskClass;
  /** Per JSON Pointer into `parameters`. An argument from an untrusted source must not look like any other. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  readonly requested_from: Endpoint;
}
export const ApprovalPacket: z.ZodType<ApprovalPacket> = z.strictObject({
  gate: Name,
  kind: GateKind,
  run_id: Name,
  step_id: Name.nullable(),
  action: Name,
  parameters: JsonRecord,
  args_hash: ContentAddress,
  plan_id: Name.nullable(),
  plan_hash: ContentAddress.nullable(),
  evidence_refs: z.array(Name),
  evidence_hash: ContentAddress,
  blast_radius: Statement,
  rollback_path: Statement,
  cost: ToolCost,
  risk: RiskClass,
  provenance: z.record(Pointer, Provenance),
  requested_from: Endpoint,
});
