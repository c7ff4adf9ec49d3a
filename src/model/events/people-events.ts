import { z } from 'zod';
import type { FaultCode } from '../fault/fault-table.ts';
import { Stop } from '../fault/terminal-code.ts';
import { EscalationEvent } from '../gate/escalation.ts';
import { Deciders, DecisionProof, GateDecisionKind, GateKind } from '../gate/gate.ts';
import { GateTerms } from '../gate/gate-terms.ts';
import { RefusedDecision } from '../gate/info-exchange.ts';
import { JsonRecord, JsonValue } from '../json/exact.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Instant, Name, Text } from '../json/name.ts';
import { PauseCause } from '../run/session-status.ts';
import { AddressText, AmountRecord, type EventShapes, eventShapes, FaultCodeName } from './event-shape.ts';

/** Requests to people, and their answers. */
export interface PeopleEvents {
  gate_opened: {
    readonly gate_id: string;
    readonly name: string;
    readonly gate_kind: GateKind;
    readonly step_id: string | null;
    readonly packet_hash: string;
    readonly expires_at: number;
    /** Present if the host configured who decides gates of this name. */
    readonly deciders?: Deciders;
    /** All gates of the call, `name` first. Absent if `name` is the only one. */
    readonly gates?: readonly GateTerms[];
  };
  gate_decided: {
    readonly gate_id: string;
    readonly packet_hash: string;
    readonly decision: GateDecisionKind;
    readonly approver: string;
    readonly reason: string;
    /** For `edit` only: the arguments that the person wants. They are cleared and shown again. */
    readonly parameters?: JsonObject;
    /** For `request_info` only: the person to ask, if it is not the one for whom the run acts. */
    readonly asks?: string;
    /** For `approve` only: approvers whose earlier approval no longer counts, because their signing key was revoked. */
    readonly dismissed?: readonly string[];
    /** For `approve` only: the gates that the approval covers. Required if the call has several gates. */
    readonly gates?: readonly string[];
    readonly proof?: DecisionProof;
  };
  /** The answer to `request_info`. The gate shows it and asks for a decision again. */
  info_provided: {
    readonly gate_id: string;
    readonly packet_hash: string;
    readonly by: string;
    readonly text?: string;
    readonly evidence?: readonly string[];
    readonly proof?: DecisionProof;
  };
  /** Records a decision that was refused. It has no other effect. */
  decision_refused: {
    /** Absent if the decision was about the run itself. */
    readonly gate_id?: string;
    readonly packet_hash?: string;
    readonly decision: RefusedDecision;
    /** The unverified name of the person; the identity may be the reason for the refusal. */
    readonly claimed_by: string;
    readonly code: FaultCode;
    readonly message: string;
  };
  question_asked: {
    readonly question_id: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
    /** Hash of the question as shown. */
    readonly packet_hash?: string;
  };
  question_answered: {
    readonly question_id: string;
    readonly answers: JsonObject;
    readonly changes_scope: boolean;
    readonly by: string;
    /** Hash of the question that was answered. The answer is refused if the current question is a different one. */
    readonly packet_hash?: string;
  };
  /** `stop` is the end of the run if the escalation leads to no decision. */
  run_escalated: { readonly escalation: EscalationEvent; readonly stop: Stop; readonly packet_hash?: string };
  escalation_decided: {
    readonly decision: 'continue' | 'finalize' | 'terminate';
    readonly by: string;
    readonly reason: string;
    /** Present if a run is terminated as dangerous and its credentials are confirmed to be compromised. */
    readonly compromised?: true;
    /** The result of a call in doubt; present if the run continues and the person who decides found out the result. */
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
    /** Present if the session is only interrupted: it continues as soon as a process drives it. */
    readonly resumes?: true;
    readonly proof?: DecisionProof;
  };
  run_resumed: { readonly by: string; readonly operator: boolean; readonly proof?: DecisionProof };
  run_cancelled: { readonly by: string; readonly reason: string; readonly proof?: DecisionProof };
}

export const PEOPLE_EVENTS: EventShapes<PeopleEvents> = eventShapes<PeopleEvents>()({
  gate_opened: {
    gate_id: Name,
    name: Name,
    gate_kind: GateKind,
    step_id: Name.nullable(),
    packet_hash: AddressText,
    expires_at: Instant,
    deciders: Deciders.exactOptional(),
    gates: z.array(GateTerms).min(2).exactOptional(),
  },
  gate_decided: {
    gate_id: Name,
    packet_hash: AddressText,
    decision: GateDecisionKind,
    approver: Name,
    reason: Text,
    parameters: JsonRecord.exactOptional(),
    asks: Name.exactOptional(),
    dismissed: z.array(Name).exactOptional(),
    gates: z.array(Name).min(1).exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  info_provided: {
    gate_id: Name,
    packet_hash: AddressText,
    by: Name,
    text: Text.exactOptional(),
    evidence: z.array(AddressText).min(1).max(100).exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  decision_refused: {
    gate_id: Name.exactOptional(),
    packet_hash: z.string().max(200).exactOptional(),
    decision: RefusedDecision,
    claimed_by: z.string().max(200),
    code: FaultCodeName,
    message: Text,
  },
  question_asked: {
    question_id: Name,
    fields: z.array(z.string()),
    readings: z.array(z.string()),
    packet_hash: AddressText.exactOptional(),
  },
  question_answered: {
    question_id: Name,
    answers: JsonRecord,
    changes_scope: z.boolean(),
    by: Name,
    packet_hash: AddressText.exactOptional(),
  },
  run_escalated: { escalation: EscalationEvent, stop: Stop, packet_hash: AddressText.exactOptional() },
  escalation_decided: {
    decision: z.enum(['continue', 'finalize', 'terminate']),
    by: Name,
    reason: Text,
    compromised: z.literal(true).exactOptional(),
    happened: z.strictObject({ result: JsonValue }).exactOptional(),
    packet_hash: AddressText.exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  budget_extended: {
    by: Name,
    reason: z.string(),
    delta: AmountRecord,
    packet_hash: AddressText.exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  run_paused: {
    cause: PauseCause,
    by: Name,
    reason: Text.exactOptional(),
    resumes: z.literal(true).exactOptional(),
    proof: DecisionProof.exactOptional(),
  },
  run_resumed: { by: Name, operator: z.boolean(), proof: DecisionProof.exactOptional() },
  run_cancelled: { by: Name, reason: Text, proof: DecisionProof.exactOptional() },
});
