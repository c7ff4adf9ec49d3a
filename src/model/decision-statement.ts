import { canonicalize } from './canonical.ts';
import type { GateDecisionKind } from './gate.ts';
import type { Json, JsonObject } from './json.ts';

/** What a person signs: this decision, about this packet, at this gate, now. It fits no other gate and no later one. */
export interface DecisionStatement {
  readonly gate_id: string;
  readonly packet_hash: string;
  readonly decision: GateDecisionKind;
  readonly reason: string;
  readonly parameters: JsonObject | null;
  /** Who is asked for more information, where somebody is named. */
  readonly asks?: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The bytes that are signed. The first line keeps the signature of one kind of statement from being shown as another. */
export function statementText(statement: DecisionStatement): string {
  return `ambit.gate-decision.v1\n${canonicalize(statement as unknown as Json)}`;
}

/** What whoever was asked signs: this answer, to this packet, at this gate. */
export interface InfoStatement {
  readonly gate_id: string;
  readonly packet_hash: string;
  readonly text: string | null;
  readonly evidence: readonly string[];
  readonly key_id: string;
  readonly signed_at: number;
}

export function infoText(statement: InfoStatement): string {
  return `ambit.gate-info.v1\n${canonicalize(statement as unknown as Json)}`;
}
