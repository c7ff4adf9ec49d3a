import type { JsonObject } from '../json/json.ts';

/** The decisions a person can make about a run, apart from its gates. */
export const RUN_DECISIONS = [
  'escalation_decided',
  'budget_extended',
  'run_paused',
  'run_resumed',
  'run_cancelled',
  'run_steered',
  'run_migrated',
  'run_taken_over',
] as const;
export type RunDecisionKind = (typeof RUN_DECISIONS)[number];

/** The statement a person signs: this decision about this run, now. */
export interface RunStatement {
  readonly run_id: string;
  readonly decision: RunDecisionKind;
  /**
   * The fields of the event other than the decider: the decision, the reason, and the hash of the packet, if present.
   */
  readonly said: JsonObject;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The statement a person signs to lift a kill switch. */
export interface LiftStatement {
  readonly switch_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The statement a person signs to read the evidence behind a packet. */
export interface EvidenceStatement {
  readonly address: string;
  readonly key_id: string;
  readonly signed_at: number;
}
