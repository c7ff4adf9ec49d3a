import type { ApprovalEntry } from '../../model/critic/decision-record.ts';
import type { Stop, TerminalCode } from '../../model/fault/terminal-code.ts';
import type { GateKind } from '../../model/gate/gate.ts';
import type { GateTerms } from '../../model/gate/gate-terms.ts';
import type { InfoExchange } from '../../model/gate/info-exchange.ts';
import type { JsonObject } from '../../model/json/json.ts';

export interface People {
  readonly gates: readonly OpenGate[];
  /** Number of requested gates without a decision. */
  readonly undecided: number;
  readonly gatesOpened: number;
  readonly grants: readonly Grant[];
  readonly approvals: readonly ApprovalEntry[];
  /** Calls that the request granted, by tool and arguments, with the step that used the grant. Each is granted once. */
  readonly requested: Readonly<Record<string, string>>;
  readonly question: OpenQuestion | null;
  /** A model's question for the user. The run asks it when it can next plan with the answer. */
  readonly wanted: UserQuestion | null;
  readonly questionsAsked: number;
  readonly escalation: OpenEscalation | null;
  readonly escalations: number;
  /** A model has recommended an escalation. It happens as soon as nothing is in flight. */
  readonly recommended: boolean;
  /** The last decision of a person. */
  readonly decision: 'continue' | 'finish' | null;
  /**
   * Number of answers that did not settle a gate, by gate name, step and plan hash. The count survives an edit, which
   * makes a new packet but not a new question.
   */
  readonly answersPerGate: Readonly<Record<string, number>>;
  /** Arguments that people edited at a gate, by step. */
  readonly edits: Readonly<Record<string, EditedCall>>;
  /** Questions of deciders and the answers to them. */
  readonly inquiries: readonly Inquiry[];
  /** Signatures of all signed decisions; each is accepted once. */
  readonly signatures: readonly string[];
  /** Notes of operators for the planner. Absent until there is one. */
  readonly notes?: readonly OperatorNote[];
  /** Number of refused decisions on record. */
  readonly refused: number;
}

/** An operator's note for the planner. */
export interface OperatorNote {
  readonly by: string;
  readonly text: string;
  readonly at: number;
}

/** A request for approval that waits for people: one packet, and every gate that it is for. */
export interface OpenGate {
  readonly gateId: string;
  /** The name of the first gate. */
  readonly name: string;
  readonly kind: GateKind;
  readonly stepId: string | null;
  readonly packetHash: string;
  /** The tools that would be called, outermost first; empty if the gate is not about a call. */
  readonly tools: readonly string[];
  readonly openedAt: number;
  /** The earliest deadline of its undecided gates. */
  readonly expiresAt: number;
  readonly gates: readonly OpenGatePart[];
  /** Hashes of what the packet showed. An approval covers exactly these. */
  readonly shown: Pick<Grant, 'argsHash' | 'planHash' | 'evidenceHash' | 'previewHash'>;
}

/** One gate of an open request, with the approvals so far. It is decided when its quorum is complete. */
export interface OpenGatePart extends GateTerms {
  readonly approvers: readonly GateApproval[];
}

/** One approval of a gate. Its signing key may be revoked before the last approval arrives. */
export interface GateApproval {
  readonly name: string;
  readonly keyId: string | null;
  readonly at: number;
}

/** A question about the packet of a gate, and its answer. It stays with the call if the gate opens again. */
export interface Inquiry {
  readonly gateId: string;
  readonly gate: string;
  readonly stepId: string | null;
  readonly planHash: string;
  readonly asked: Pick<InfoExchange, 'asked_by' | 'asked_of' | 'question' | 'asked_at'>;
  readonly answer: Pick<InfoExchange, 'answered_by' | 'text' | 'evidence' | 'answered_at'> | null;
}

/** Arguments that a person edited, valid for one plan. */
export interface EditedCall {
  readonly planHash: string;
  readonly args: JsonObject;
  readonly by: string;
}

/** A permission for exactly one call or one plan. */
export interface Grant {
  readonly grantId: string;
  readonly gate: string;
  readonly kind: GateKind;
  readonly stepId: string | null;
  readonly packetHash: string;
  readonly argsHash: string;
  readonly planHash: string;
  readonly evidenceHash: string;
  /** Hash of the preview that the tool's category showed: the approver agreed to that change. */
  readonly previewHash: string;
  readonly approver: string;
  /** The time after which the approval must be given again, because it rests on what was known when it was given. */
  readonly expiresAt: number;
  /** The idempotency key of the first intent that used the grant. From then on it covers only that key. */
  readonly usedBy: string | null;
}

/** Missing fields, or readings to choose between. `code` is the terminal code of the run if no answer arrives. */
export interface UserQuestion {
  readonly code: TerminalCode;
  readonly fields: readonly string[];
  readonly readings: readonly string[];
}

export interface OpenQuestion extends UserQuestion {
  readonly questionId: string;
  /** Hash of the question as it was asked; null until it has been delivered. */
  readonly packetHash: string | null;
  readonly expiresAt: number;
}

export interface OpenEscalation {
  readonly trigger: string;
  readonly recipient: string;
  readonly stop: Stop;
  /** Hash of the packet that the recipient saw. */
  readonly packetHash: string | null;
  readonly expiresAt: number;
}
