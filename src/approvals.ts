/**
 * `ambit/approvals`: keys, signatures, gates, grants and kill switches, which all need a person's authority.
 * @module
 */
export { keyTools } from './compose.ts';
export type { ApprovalPacket } from './model/gate/approval-packet.ts';
export type { GatePolicy } from './model/gate/gate.ts';
export { decidableGates, type GateProgress, type GateTerms } from './model/gate/gate-terms.ts';
export type {
  GrantStatement,
  GrantTerms,
  RefusedGrant,
  RevocationStatement,
  StandingGrant,
} from './model/gate/grant.ts';
export type { KillScope, KillSwitch, KillSwitchAct } from './model/gate/kill-switch.ts';
export type { SigningKey } from './model/gate/signing-key.ts';
export {
  type DecisionStatement,
  type ErasureStatement,
  type EvidenceStatement,
  type ForkStatement,
  type InfoStatement,
  type LabelStatement,
  type LiftStatement,
  type RunStatement,
  type SealedReadStatement,
  type SignedStatements,
  type SigningTexts,
  signingText,
} from './model/gate/signing-text.ts';
export type { Authenticator, Credential as ApproverCredential, Person } from './ports/approvers.ts';
export type { KeyPair, KeyStore, KeyTools } from './ports/keys.ts';
export type { KillSwitches } from './runtime/admin/kill-switches.ts';
export type { Gates } from './runtime/ambit.ts';
export type { GateStanding } from './runtime/gates/closed-gate.ts';
export type { GateAnswer, GateEdit, GateInquiry, InfoAnswer } from './runtime/gates/decide-gate.ts';
export type { DamagedGate, Inbox, InboxFilter, InboxGroup, InboxItem } from './runtime/gates/inbox.ts';
export { enrolKey, type NewKey, rotateKey, signDecision, signInfo, signRunDecision } from './runtime/gates/keys.ts';
export type { Grants } from './runtime/runtime.ts';
export type { AskedQuestion } from './runtime/sessions/answer-arguments.ts';
export type {
  BudgetAnswer,
  EscalationAnswer,
  MigrationAnswer,
  RunAnswer,
  SteeringNote,
} from './runtime/sessions/decide-run.ts';
export type { PlannedMigration } from './session/migrate.ts';
export type { OpenInquiry, PendingGate } from './session/outcome.ts';
