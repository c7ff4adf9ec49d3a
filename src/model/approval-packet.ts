import { z } from 'zod';
import { ApprovalMode } from './approval-mode.ts';
import { ContentAddress } from './content-address.ts';
import { Endpoint } from './escalation.ts';
import { Provenance } from './evidence.ts';
import { Deciders, GateKind } from './gate.ts';
import type { Address } from './hash.ts';
import { InfoExchange } from './info-exchange.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Instant, Name, Statement } from './name.ts';
import { Pointer } from './pointer.ts';
import { RiskClass } from './risk.ts';
import { ToolCost } from './tool.ts';

/** One thing the action rests on: what said it, and the address of what it said. The value itself is in the journal. */
export interface EvidenceRef {
  readonly evidence_id: string;
  readonly source: string;
  /** Null for what the pinned context or a plan before this one brought: there the id alone says which it is. */
  readonly address: Address | null;
}
export const EvidenceRef: z.ZodType<EvidenceRef> = z.strictObject({
  evidence_id: Name,
  source: Name,
  address: ContentAddress.nullable(),
});

/** The dispatcher through which a call goes, and what it is sent, word for word. */
export interface DispatchedVia {
  readonly action: string;
  readonly parameters: JsonObject;
}
const DispatchedVia: z.ZodType<DispatchedVia> = z.strictObject({ action: Name, parameters: JsonRecord });

/** Which step of how many. */
export interface PlanPosition {
  readonly n: number;
  readonly of: number;
}
const PlanPosition: z.ZodType<PlanPosition> = z.strictObject({ n: z.int().positive(), of: z.int().positive() });

/**
 * All that a person needs in order to decide, frozen. Its address is what they approve: change one
 * argument, the plan or the evidence, and the approval no longer fits.
 */
export interface ApprovalPacket {
  readonly gate: string;
  readonly kind: GateKind;
  readonly run_id: string;
  readonly step_id: string | null;
  /** What really runs: the tool that a dispatcher would call, not the dispatcher. */
  readonly action: string;
  /** The very arguments that will be sent, bindings resolved. */
  readonly parameters: JsonObject;
  /** Address of what leaves the gateway, a dispatcher's envelope included. */
  readonly args_hash: Address;
  readonly via: DispatchedVia | null;
  readonly plan_id: string | null;
  readonly plan_hash: Address | null;
  readonly position: PlanPosition | null;
  readonly evidence_refs: readonly string[];
  readonly evidence: readonly EvidenceRef[];
  /** Address of the evidence as it was when the action was proposed. */
  readonly evidence_hash: Address;
  readonly approval_mode: ApprovalMode;
  readonly blast_radius: string;
  readonly rollback_path: string;
  /** What the category of the tool shows of the call: the difference a write makes, a statement, a target. */
  readonly preview?: JsonObject;
  readonly cost: ToolCost;
  readonly risk: RiskClass;
  /** Per JSON Pointer into `parameters`. An argument from an untrusted source must not look like any other. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  /** For whom the run acts. This one can never decide. */
  readonly requested_by: string;
  readonly requested_from: Endpoint;
  readonly deciders: Deciders;
  readonly expires_at: Instant;
  /** What was asked and answered about it before, if anything was. */
  readonly exchange?: readonly InfoExchange[];
}
export const ApprovalPacket: z.ZodType<ApprovalPacket> = z.strictObject({
  gate: Name,
  kind: GateKind,
  run_id: Name,
  step_id: Name.nullable(),
  action: Name,
  parameters: JsonRecord,
  args_hash: ContentAddress,
  via: DispatchedVia.nullable(),
  plan_id: Name.nullable(),
  plan_hash: ContentAddress.nullable(),
  position: PlanPosition.nullable(),
  evidence_refs: z.array(Name),
  evidence: z.array(EvidenceRef),
  evidence_hash: ContentAddress,
  approval_mode: ApprovalMode,
  blast_radius: Statement,
  rollback_path: Statement,
  preview: JsonRecord.exactOptional(),
  cost: ToolCost,
  risk: RiskClass,
  provenance: z.record(Pointer, Provenance),
  requested_by: Name,
  requested_from: Endpoint,
  deciders: Deciders,
  expires_at: Instant,
  exchange: z.array(InfoExchange).exactOptional(),
});
