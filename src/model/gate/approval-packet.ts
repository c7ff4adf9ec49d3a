import { z } from 'zod';
import { Provenance } from '../evidence/evidence.ts';
import { exactObject, JsonRecord } from '../json/exact.ts';
import { type Address, ContentAddress } from '../json/hash.ts';
import type { JsonObject } from '../json/json.ts';
import { Instant, Name, Statement, Text } from '../json/name.ts';
import { Pointer } from '../json/pointer.ts';
import { DryRun } from '../plan/dry-run.ts';
import { Plan } from '../plan/plan.ts';
import { RiskClass } from '../policy/risk.ts';
import { StepInput } from '../tool/step-input.ts';
import { ToolCost } from '../tool/tool.ts';
import { ToolChange } from '../tool/tool-change.ts';
import { ApprovalMode } from './approval-mode.ts';
import { CallInDoubt } from './call-in-doubt.ts';
import { Endpoint } from './escalation.ts';
import { Deciders, GateKind } from './gate.ts';
import { GateTerms } from './gate-terms.ts';
import { InfoExchange } from './info-exchange.ts';

/**
 * A reference to one piece of evidence: its source and the address of its content. The value itself is in the journal.
 */
export interface EvidenceRef {
  readonly evidence_id: string;
  readonly source: string;
  /** Null for evidence from the pinned context or from an earlier plan, which the id alone identifies. */
  readonly address: Address | null;
}
export const EvidenceRef: z.ZodType<EvidenceRef> = exactObject({
  evidence_id: Name,
  source: Name,
  address: ContentAddress.nullable(),
});

/** The dispatcher of a call, and the exact arguments it receives. */
export interface DispatchedVia {
  readonly action: string;
  readonly parameters: JsonObject;
}
const DispatchedVia: z.ZodType<DispatchedVia> = exactObject({ action: Name, parameters: JsonRecord });

/** The number of the step, and the number of steps. */
export interface PlanPosition {
  readonly n: number;
  readonly of: number;
}
const PlanPosition: z.ZodType<PlanPosition> = exactObject({ n: z.int().positive(), of: z.int().positive() });

/**
 * The frozen information a person needs to decide on a call. The approval is for its address: if an argument, the plan
 * or the evidence changes, the approval is no longer valid.
 */
export interface ApprovalPacket {
  readonly gate: string;
  readonly kind: GateKind;
  readonly run_id: string;
  readonly step_id: string | null;
  /** The tool that is executed: the inner tool of a dispatcher, not the dispatcher. */
  readonly action: string;
  /** The exact arguments that will be sent, with bindings resolved. */
  readonly parameters: JsonObject;
  /** Address of the arguments the gateway sends, including a dispatcher's envelope, and of the inputs. */
  readonly args_hash: Address;
  /** The results of earlier steps that the tool receives besides its arguments. Absent if there are none. */
  readonly inputs?: readonly StepInput[];
  readonly via: DispatchedVia | null;
  readonly plan_id: string | null;
  readonly plan_hash: Address | null;
  readonly position: PlanPosition | null;
  readonly evidence_refs: readonly string[];
  readonly evidence: readonly EvidenceRef[];
  /** Address of the evidence at the time of the proposal. */
  readonly evidence_hash: Address;
  readonly approval_mode: ApprovalMode;
  readonly blast_radius: string;
  readonly rollback_path: string;
  /** A category-specific preview of the call: the diff of a write, a statement, a target. */
  readonly preview?: JsonObject;
  readonly cost: ToolCost;
  readonly risk: RiskClass;
  /** Provenance by JSON Pointer into `parameters`, so that the approver can tell untrusted arguments apart. */
  readonly provenance: Readonly<Record<string, Provenance>>;
  /** The identity the run acts for. It can never decide this gate. */
  readonly requested_by: string;
  readonly requested_from: Endpoint;
  /** The people who may decide `gate`. */
  readonly deciders: Deciders;
  /** All gates of the call, `gate` first, each with its deciders. Absent if `gate` is the only one. */
  readonly gates?: readonly GateTerms[];
  /** The deadline of the first gate that expires. */
  readonly expires_at: Instant;
  /** The tools of this run that an operator accepted in a newer version, so that approvers know that they differ. */
  readonly changed_tools?: readonly ToolChange[];
  /** The calls of this run that may have had their effect. Absent if there are none. */
  readonly calls_in_doubt?: readonly CallInDoubt[];
  /** Earlier questions about this packet, and their answers. */
  readonly exchange?: readonly InfoExchange[];
}
export const ApprovalPacket: z.ZodType<ApprovalPacket> = exactObject({
  gate: Name,
  kind: GateKind,
  run_id: Name,
  step_id: Name.nullable(),
  action: Name,
  parameters: JsonRecord,
  args_hash: ContentAddress,
  inputs: z.array(StepInput).exactOptional(),
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
  gates: z.array(GateTerms).min(2).exactOptional(),
  expires_at: Instant,
  changed_tools: z.array(ToolChange).exactOptional(),
  calls_in_doubt: z.array(CallInDoubt).exactOptional(),
  exchange: z.array(InfoExchange).exactOptional(),
});

/** A text that a plan leaves to a drafter. */
export interface PlannedDraft {
  readonly step_id: string;
  /** JSON Pointer into the params of the step. */
  readonly pointer: string;
  readonly instruction: string;
}
const PlannedDraft: z.ZodType<PlannedDraft> = exactObject({ step_id: Name, pointer: Pointer, instruction: Statement });

/** A plan as shown to an approver: its goal, its steps, and their effects. */
export interface PlanPacket {
  readonly gate: string;
  readonly kind: 'plan';
  readonly run_id: string;
  readonly plan_id: string;
  readonly plan_hash: Address;
  readonly task: string;
  readonly plan: Plan;
  readonly dry_run: DryRun;
  /** Texts that a model writes only after this approval. A person sees each one before it leaves the run. */
  readonly drafts?: readonly PlannedDraft[];
  readonly requested_by: string;
  readonly requested_from: Endpoint;
  readonly deciders: Deciders;
  readonly expires_at: Instant;
  /** The tools of this run that an operator accepted in a newer version, so that approvers know that they differ. */
  readonly changed_tools?: readonly ToolChange[];
  /** The calls of this run that may have had their effect. Absent if there are none. */
  readonly calls_in_doubt?: readonly CallInDoubt[];
  /** Earlier questions about this packet, and their answers. */
  readonly exchange?: readonly InfoExchange[];
}
export const PlanPacket: z.ZodType<PlanPacket> = exactObject({
  gate: Name,
  kind: z.literal('plan'),
  run_id: Name,
  plan_id: Name,
  plan_hash: ContentAddress,
  task: Text,
  plan: Plan,
  dry_run: DryRun,
  drafts: z.array(PlannedDraft).exactOptional(),
  requested_by: Name,
  requested_from: Endpoint,
  deciders: Deciders,
  expires_at: Instant,
  changed_tools: z.array(ToolChange).exactOptional(),
  calls_in_doubt: z.array(CallInDoubt).exactOptional(),
  exchange: z.array(InfoExchange).exactOptional(),
});
