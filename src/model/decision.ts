import { z } from 'zod';
import { Degradation } from './degradation.ts';
import { EffectOutcome, RollbackSpent } from './effect-outcome.ts';
import { LaneNote } from './lane.ts';
import { Instant, Name, Text } from './name.ts';
import { RiskClass } from './risk.ts';
import { TerminalCode } from './terminal-code.ts';
import { StepVerdict } from './verdict.ts';

/** A decision of the catalogue: what it needs before it may be taken, and which tools it governs. */
export interface DecisionSpec {
  readonly decision_id: string;
  readonly version: string;
  readonly description: string;
  /** Evidence types that must be resolved when the checkpoint is reached. */
  readonly evidence: readonly string[];
  readonly approvals: readonly string[];
  readonly controls: readonly string[];
  readonly evaluators: readonly string[];
  readonly accept_threshold: number;
  readonly risk_class: RiskClass;
  /** Tools that may only run after this decision's checkpoint. */
  readonly actions: readonly string[];
}
export const DecisionSpec: z.ZodType<DecisionSpec> = z.strictObject({
  decision_id: Name,
  version: Name,
  description: Text,
  evidence: z.array(Name),
  approvals: z.array(Name),
  controls: z.array(Name),
  evaluators: z.array(Name),
  accept_threshold: z.number().min(0).max(1),
  risk_class: RiskClass,
  actions: z.array(Name),
});

/** Who let a gated step pass, and what exactly was shown to them. */
export interface ApprovalEntry {
  readonly gate: string;
  readonly step_id: string;
  readonly approver: string;
  readonly decision: 'approve' | 'reject';
  readonly packet_hash: string;
  readonly decided_at: Instant;
  /** Present where nobody decided at a gate: the words of the request, or a grant given in advance, stood for it. */
  readonly basis?: 'request' | 'standing_grant';
}
export const ApprovalEntry: z.ZodType<ApprovalEntry> = z.strictObject({
  gate: Name,
  step_id: Name,
  approver: Name,
  decision: z.enum(['approve', 'reject']),
  packet_hash: Name,
  decided_at: Instant,
  basis: z.enum(['request', 'standing_grant']).exactOptional(),
});

/** What remains of a decision for good. Derived from the journal alone, byte for byte the same each time. */
export interface DecisionRecord {
  readonly decision_id: string;
  readonly run_id: string;
  readonly plan_id: string | null;
  readonly outcome: StepVerdict;
  readonly terminal_code: TerminalCode;
  readonly evidence_refs: readonly string[];
  readonly approvals: readonly ApprovalEntry[];
  readonly controls_active: readonly string[];
  /** The boundary that authorised the run. Absent where a run ended before it had one. */
  readonly boundary_version?: string;
  /** Of a run that did not end well: everything it changed, and what was taken back of it. */
  readonly effects?: readonly EffectOutcome[];
  /** What taking it back cost, which is outside every cap. */
  readonly rollback_spent?: RollbackSpent;
  /** Steps whose tool was not there, and what stood in for it. Absent where the run had all it was planned with. */
  readonly degraded?: readonly Degradation[];
  /** What became of each lane the run opened, and why. Absent where it opened none. */
  readonly lanes?: readonly LaneNote[];
  readonly trace_id: string;
}
export const DecisionRecord: z.ZodType<DecisionRecord> = z.strictObject({
  decision_id: Name,
  run_id: Name,
  plan_id: Name.nullable(),
  outcome: StepVerdict,
  terminal_code: TerminalCode,
  evidence_refs: z.array(Name),
  approvals: z.array(ApprovalEntry),
  controls_active: z.array(Name),
  boundary_version: Name.exactOptional(),
  effects: z.array(EffectOutcome).exactOptional(),
  rollback_spent: RollbackSpent.exactOptional(),
  degraded: z.array(Degradation).exactOptional(),
  lanes: z.array(LaneNote).exactOptional(),
  trace_id: Name,
});
