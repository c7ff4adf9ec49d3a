import type { JsonObject } from '../json/json.ts';
import type { GateDecisionKind } from './gate.ts';

/** The statement a person signs for one decision. It is valid for no other packet, gate or time. */
export interface DecisionStatement {
  readonly gate_id: string;
  readonly packet_hash: string;
  readonly decision: GateDecisionKind;
  readonly reason: string;
  readonly parameters: JsonObject | null;
  /** The person to whom a request for more information goes, if one is named. */
  readonly asks?: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The signed answer to a request for information: this answer about this packet at this gate. */
export interface InfoStatement {
  readonly gate_id: string;
  readonly packet_hash: string;
  readonly text: string | null;
  readonly evidence: readonly string[];
  readonly key_id: string;
  readonly signed_at: number;
}
