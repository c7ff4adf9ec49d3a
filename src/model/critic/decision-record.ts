import { z } from 'zod';
import { RunCost } from '../budget/run-cost.ts';
import { TerminalCode } from '../fault/terminal-code.ts';
import { exactObject } from '../json/exact.ts';
import { Instant, Name } from '../json/name.ts';
import { LaneNote } from '../run/lane.ts';
import { Degradation } from '../tool/degradation.ts';
import { EffectOutcome, RollbackSpent } from '../tool/effect-outcome.ts';
import { StepVerdict } from './verdict.ts';

/** The decision of one approver about a gated step, and the hash of the packet that the approver saw. */
export interface ApprovalEntry {
  readonly gate: string;
  readonly step_id: string;
  readonly approver: string;
  readonly decision: 'approve' | 'reject';
  readonly packet_hash: string;
  readonly decided_at: Instant;
  /** Present if no person decided at the gate: the request itself or a grant given in advance replaced the decision. */
  readonly basis?: 'request' | 'standing_grant';
}
export const ApprovalEntry: z.ZodType<ApprovalEntry> = exactObject({
  gate: Name,
  step_id: Name,
  approver: Name,
  decision: z.enum(['approve', 'reject']),
  packet_hash: Name,
  decided_at: Instant,
  basis: z.enum(['request', 'standing_grant']).exactOptional(),
});

/** The permanent record of a decision. It is derived from the journal alone and always has the same bytes. */
export interface DecisionRecord {
  readonly decision_id: string;
  readonly run_id: string;
  readonly plan_id: string | null;
  readonly outcome: StepVerdict;
  readonly terminal_code: TerminalCode;
  readonly evidence_refs: readonly string[];
  readonly approvals: readonly ApprovalEntry[];
  readonly controls_active: readonly string[];
  /** The cost of the run. Absent in runs from before it was recorded. */
  readonly cost?: RunCost;
  /** The boundary that authorised the run. Absent if the run ended before it had one. */
  readonly boundary_version?: string;
  /** Every effect of a run that failed, and which of them were undone. */
  readonly effects?: readonly EffectOutcome[];
  /** The cost of undoing the effects, to which no cap applies. */
  readonly rollback_spent?: RollbackSpent;
  /** Steps whose tool was unavailable, and the replacement. Absent if every planned tool was available. */
  readonly degraded?: readonly Degradation[];
  /** The outcome of each lane of the run, and the reason. Absent if the run opened none. */
  readonly lanes?: readonly LaneNote[];
  readonly trace_id: string;
}
export const DecisionRecord: z.ZodType<DecisionRecord> = exactObject({
  decision_id: Name,
  run_id: Name,
  plan_id: Name.nullable(),
  outcome: StepVerdict,
  terminal_code: TerminalCode,
  evidence_refs: z.array(Name),
  approvals: z.array(ApprovalEntry),
  controls_active: z.array(Name),
  cost: RunCost.exactOptional(),
  boundary_version: Name.exactOptional(),
  effects: z.array(EffectOutcome).exactOptional(),
  rollback_spent: RollbackSpent.exactOptional(),
  degraded: z.array(Degradation).exactOptional(),
  lanes: z.array(LaneNote).exactOptional(),
  trace_id: Name,
});
