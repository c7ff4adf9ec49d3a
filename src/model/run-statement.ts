import { canonicalize } from './canonical.ts';
import type { Json, JsonObject } from './json.ts';

/** What a person may decide about a run, apart from its gates. */
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

/** What a person signs: this decision, in these words, about this run, now. */
export interface RunStatement {
  readonly run_id: string;
  readonly decision: RunDecisionKind;
  /** What the event says besides who decided: the decision, the reason, the hash of what was shown, as far as there are. */
  readonly said: JsonObject;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The bytes that are signed; see `statementText` for the first line. */
export function runStatementText(statement: RunStatement): string {
  return `ambit.run-decision.v1\n${canonicalize(statement as unknown as Json)}`;
}

/** What is signed in order to let calls be made again that somebody has stopped. */
export interface LiftStatement {
  readonly switch_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

export function liftText(statement: LiftStatement): string {
  return `ambit.kill-switch-lift.v1\n${canonicalize(statement as unknown as Json)}`;
}

/** What is signed in order to read what a packet rests on. */
export interface EvidenceStatement {
  readonly address: string;
  readonly key_id: string;
  readonly signed_at: number;
}

export function evidenceText(statement: EvidenceStatement): string {
  return `ambit.evidence-read.v1\n${canonicalize(statement as unknown as Json)}`;
}
