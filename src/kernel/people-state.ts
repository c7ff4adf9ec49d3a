import type { ApprovalEntry } from '../model/decision.ts';
import type { Deciders, GateKind } from '../model/gate.ts';
import type { InfoExchange } from '../model/info-exchange.ts';
import type { JsonObject } from '../model/json.ts';
import type { Stop } from '../model/stop.ts';
import type { TerminalCode } from '../model/terminal-code.ts';

export interface People {
  readonly gates: readonly OpenGate[];
  /** Gates that were asked for and are not decided yet. */
  readonly undecided: number;
  readonly gatesOpened: number;
  readonly grants: readonly Grant[];
  readonly approvals: readonly ApprovalEntry[];
  /** The step for which the request has granted a call, by tool and arguments: it was asked for once. */
  readonly requested: Readonly<Record<string, string>>;
  readonly question: OpenQuestion | null;
  /** A model wants to know something of the user; asked where the run next could plan with the answer. */
  readonly wanted: Question | null;
  readonly questionsAsked: number;
  readonly escalation: OpenEscalation | null;
  readonly escalations: number;
  /** A model asked for somebody with more authority; heeded as soon as nothing is in flight. */
  readonly recommended: boolean;
  /** What the last person who was asked decided. */
  readonly decision: 'continue' | 'finish' | null;
  /** Answers that settled nothing, by gate name and step: an edit makes a new packet, not a new question. */
  readonly answersPerGate: Readonly<Record<string, number>>;
  /** Arguments that people put in the place of the plan's, by step. */
  readonly edits: Readonly<Record<string, EditedCall>>;
  /** What people who decide wanted to know, and what they were told. */
  readonly inquiries: readonly Inquiry[];
  /** Of every decision that was signed: each counts once. */
  readonly signatures: readonly string[];
  /** What operators have said to whoever plans. Present once one has. */
  readonly notes?: readonly OperatorNote[];
  /** Decisions that were refused and are on record. */
  readonly refused: number;
}

/** An operator's word to whoever plans. */
export interface OperatorNote {
  readonly by: string;
  readonly text: string;
  readonly at: number;
}

export interface OpenGate {
  readonly gateId: string;
  readonly name: string;
  readonly kind: GateKind;
  readonly stepId: string | null;
  readonly packetHash: string;
  /** What would be called, the outermost first; none where the gate is about something else than a call. */
  readonly tools: readonly string[];
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly deciders: Deciders;
  /** What was shown: a yes is about these and nothing that came after. */
  readonly shown: Pick<Grant, 'argsHash' | 'planHash' | 'evidenceHash' | 'previewHash'>;
  /** Who has said yes so far; one of them is not always enough. */
  readonly approvers: readonly GateYes[];
}

/** One yes of several. The key it was signed with can be revoked before the last one is there. */
export interface GateYes {
  readonly name: string;
  readonly keyId: string | null;
}

/** A question about what one gate shows, and its answer. It stays with the call, also where the gate is asked again. */
export interface Inquiry {
  readonly gateId: string;
  readonly gate: string;
  readonly stepId: string | null;
  readonly planHash: string;
  readonly asked: Pick<InfoExchange, 'asked_by' | 'asked_of' | 'question' | 'asked_at'>;
  readonly answer: Pick<InfoExchange, 'answered_by' | 'text' | 'evidence' | 'answered_at'> | null;
}

/** What a person made of a call under one plan. */
export interface EditedCall {
  readonly planHash: string;
  readonly args: JsonObject;
  readonly by: string;
}

/** A permission that fits exactly one call (or one plan) and nothing else. */
export interface Grant {
  readonly grantId: string;
  readonly gate: string;
  readonly kind: GateKind;
  readonly stepId: string | null;
  readonly packetHash: string;
  readonly argsHash: string;
  readonly planHash: string;
  readonly evidenceHash: string;
  /** Address of what the category of the tool showed of the call: what would change is part of what was agreed to. */
  readonly previewHash: string;
  readonly approver: string;
  /** An approval is about what was known when it was given; after this it has to be given again. */
  readonly expiresAt: number;
  /** The key of the first intent that needed it. From there on it covers that key alone. */
  readonly usedBy: string | null;
}

/** What is missing, or between which readings to choose. The code is the run's ending if nobody ever answers. */
export interface Question {
  readonly code: TerminalCode;
  readonly fields: readonly string[];
  readonly readings: readonly string[];
}

export interface OpenQuestion extends Question {
  readonly questionId: string;
  /** Of the question as it was put; null until it has reached somebody. */
  readonly packetHash: string | null;
  readonly expiresAt: number;
}

export interface OpenEscalation {
  readonly trigger: string;
  readonly recipient: string;
  readonly stop: Stop;
  /** Of what the recipient was shown. */
  readonly packetHash: string | null;
  readonly expiresAt: number;
}
