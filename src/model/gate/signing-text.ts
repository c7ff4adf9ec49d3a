import { Fault, type FaultCode } from '../fault/fault.ts';
import { canonicalize } from '../json/canonical.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { Name } from '../json/name.ts';
import type { LabelFields } from '../record/run-label.ts';
import type { GateDecisionKind } from './gate.ts';
import type { GrantStatement, RevocationStatement } from './grant.ts';

/** The statement that a person signs to erase everything sealed for a tenant. */
export interface ErasureStatement {
  readonly tenant_id: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The statement that a person signs to read one sealed value. */
export interface SealedReadStatement {
  readonly gate_id: string;
  readonly handle: string;
  readonly key_id: string;
  readonly signed_at: number;
}

/** The statement a person signs to let a fork of a run have real effects. */
export interface ForkStatement {
  readonly run_id: string;
  /** The checkpoint at which the fork starts. */
  readonly at: string;
  readonly reason: string;
  readonly key_id: string;
  readonly signed_at: number;
}

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

/** The statement a person signs to label an ended run. */
export interface LabelStatement {
  readonly run_id: string;
  readonly fields: LabelFields;
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

/** The statement a person signs for one decision. It is valid for no other packet, gate or time. */
export interface DecisionStatement {
  readonly gate_id: string;
  readonly packet_hash: string;
  readonly decision: GateDecisionKind;
  readonly reason: string;
  readonly parameters: JsonObject | null;
  /** The person to whom a request for more information goes, if one is named. */
  readonly asks?: string;
  /** For `approve` only: the gates that the signature covers. Required if the packet lists several gates. */
  readonly gates?: readonly string[];
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

/** Every kind of statement that a person can sign, by the name of its entry in `signingText`. */
export interface SignedStatements {
  readonly decision: DecisionStatement;
  readonly info: InfoStatement;
  readonly runDecision: RunStatement;
  readonly evidence: EvidenceStatement;
  readonly lift: LiftStatement;
  readonly label: LabelStatement;
  readonly fork: ForkStatement;
  readonly grant: GrantStatement;
  readonly revocation: RevocationStatement;
  readonly erasure: ErasureStatement;
  readonly look: SealedReadStatement;
}

/** One function for each kind of statement; it returns the text to sign. */
export type SigningTexts = {
  readonly [Kind in keyof SignedStatements]: (statement: SignedStatements[Kind]) => string;
};

/** The first line names the kind, so that a signature over one kind of statement is not valid for another. */
const headed =
  (kind: string) =>
  (statement: SignedStatements[keyof SignedStatements]): string =>
    `${kind}\n${canonicalize(statement as unknown as Json)}`;

/**
 * The exact text that a key signs, for each kind of statement: a first line such as `ambit.gate-decision.v1`, then the
 * statement as canonical JSON.
 */
export const signingText: SigningTexts = Object.freeze({
  decision: headed('ambit.gate-decision.v1'),
  info: headed('ambit.gate-info.v1'),
  runDecision: headed('ambit.run-decision.v1'),
  evidence: headed('ambit.evidence-read.v1'),
  lift: headed('ambit.kill-switch-lift.v1'),
  label: headed('ambit.run-label.v1'),
  fork: headed('ambit.fork.v1'),
  grant: headed('ambit.standing-grant.v1'),
  revocation: headed('ambit.grant-revocation.v1'),
  erasure: headed('ambit.erasure.v1'),
  look: headed('ambit.look.v1'),
});

export type PersonalDecision =
  | 'gate_decided'
  | 'escalation_decided'
  | 'budget_extended'
  | 'run_resumed'
  | 'run_steered'
  | 'run_migrated'
  | 'run_taken_over';

/** The decisions that only a person can make, with the fault for a missing name. */
export const PERSONAL_DECISIONS: Readonly<
  Record<PersonalDecision, { readonly what: string; readonly code: FaultCode }>
> = {
  gate_decided: { what: 'a gate can only be decided', code: 'approver_missing' },
  escalation_decided: { what: 'an escalation can only be decided', code: 'approver_missing' },
  budget_extended: { what: 'a budget can only be extended', code: 'operator_required' },
  run_resumed: { what: 'a paused session can only be resumed', code: 'operator_approval_required' },
  run_steered: { what: 'a session can only be steered', code: 'operator_required' },
  run_migrated: { what: 'a session can only be migrated', code: 'operator_required' },
  run_taken_over: { what: 'a session that is driven can only be taken over', code: 'operator_required' },
};

export const isPersonalDecision = (type: unknown): type is PersonalDecision =>
  typeof type === 'string' && Object.hasOwn(PERSONAL_DECISIONS, type);

/** Requires one name without blanks, so that a reader of the record can identify the person. */
export function assertPersonName(decision: PersonalDecision, name: unknown): void {
  if (Name.safeParse(name).success) return;
  const { what, code } = PERSONAL_DECISIONS[decision];
  throw new Fault(code, `${what} by a named person: one name without blanks, such as ana or ana@example.com`);
}
