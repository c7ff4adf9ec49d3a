import type { EscalationEvent } from '../escalation.ts';
import type { FaultCode } from '../fault-table.ts';
import type { Deciders, DecisionProof, GateDecisionKind, GateKind } from '../gate.ts';
import type { Json, JsonObject } from '../json.ts';
import type { RefusedDecision } from '../refused-decision.ts';
import type { PauseCause } from '../session-status.ts';
import type { Stop } from '../stop.ts';

/** What people are asked, and what they say. */
export interface PeopleEvents {
  gate_opened: {
    readonly gate_id: string;
    readonly name: string;
    readonly gate_kind: GateKind;
    readonly step_id: string | null;
    readonly packet_hash: string;
    readonly expires_at: number;
    /** Present where the host has settled who decides gates of this name. */
    readonly deciders?: Deciders;
  };
  gate_decided: {
    readonly gate_id: string;
    readonly packet_hash: string;
    readonly decision: GateDecisionKind;
    readonly approver: string;
    readonly reason: string;
    /** For `edit` alone: the arguments as the person wants them. They are cleared and shown anew. */
    readonly parameters?: JsonObject;
    /** For `request_info` alone: who is asked, where it is not the one for whom the run acts. */
    readonly asks?: string;
    /** For `approve` alone: whose earlier yes counts no more, because the key it was signed with has been revoked. */
    readonly dismissed?: readonly string[];
    readonly proof?: DecisionProof;
  };
  /** Who was asked before a gate is decided has answered: the gate shows it, and asks anew. */
  info_provided: {
    readonly gate_id: string;
    readonly packet_hash: string;
    readonly by: string;
    readonly text?: string;
    readonly evidence?: readonly string[];
    readonly proof?: DecisionProof;
  };
  /** Somebody tried to decide and could not. It is on record, and nothing else has come of it. */
  decision_refused: {
    /** Absent where it was about the run itself. */
    readonly gate_id?: string;
    readonly packet_hash?: string;
    readonly decision: RefusedDecision;
    /** Who they said they were; whether they are is what was in question. */
    readonly claimed_by: string;
    readonly code: FaultCode;
    readonly message: string;
  };
  question_asked: {
    readonly question_id: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
    /** Of the question as it was put. */
    readonly packet_hash?: string;
  };
  question_answered: {
    readonly question_id: string;
    readonly answers: JsonObject;
    readonly changes_scope: boolean;
    readonly by: string;
    /** What the answer is about, word for word. Refused if something else is asked by now. */
    readonly packet_hash?: string;
  };
  /** With what the run ends if the handover leads nowhere. */
  run_escalated: { readonly escalation: EscalationEvent; readonly stop: Stop; readonly packet_hash?: string };
  escalation_decided: {
    readonly decision: 'continue' | 'finalize' | 'terminate';
    readonly by: string;
    readonly reason: string;
    /** Present where a run is terminated for something dangerous, and it is certain that credentials are in the wrong hands. */
    readonly compromised?: true;
    /** Present where a run goes on after a call in doubt, and whoever decides has found out what it came to. */
    readonly happened?: { readonly result: Json };
    readonly packet_hash?: string;
    readonly proof?: DecisionProof;
  };
  budget_extended: {
    readonly by: string;
    readonly reason: string;
    readonly delta: Readonly<Record<string, number>>;
    readonly packet_hash?: string;
    readonly proof?: DecisionProof;
  };
  run_paused: {
    readonly cause: PauseCause;
    readonly by: string;
    readonly reason?: string;
    /** Present where the session is only interrupted: it goes on as soon as somebody drives it. */
    readonly resumes?: true;
    readonly proof?: DecisionProof;
  };
  run_resumed: { readonly by: string; readonly operator: boolean; readonly proof?: DecisionProof };
  run_cancelled: { readonly by: string; readonly reason: string; readonly proof?: DecisionProof };
}
