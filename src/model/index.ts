/**
 * `ambit/model`: the nouns. Each is a readonly type and, under the same name, the schema that makes one of a
 * stranger's JSON; with them the tables of what can be refused and how a run can end. Every name is a promise.
 */
export {
  type AgentAccess,
  type AgentAutonomy,
  type AgentBudget,
  type AgentPins,
  AgentSpec,
  parseAgent,
} from './agent.ts';
export { APPROVAL_MODES, ApprovalMode, compareModes, runsInline } from './approval-mode.ts';
export { ApprovalPacket, EvidenceRef } from './approval-packet.ts';
export { BOUNDARY_DIMENSIONS, Boundary, ObservationBounds, StateWriteBounds, ToolBounds } from './boundary.ts';
export {
  Allotment,
  AMOUNT_MAX,
  BUDGET_DIMENSIONS,
  BUDGET_ROLES,
  type Budget,
  BudgetCaps,
  type BudgetCounter,
  type BudgetCounters,
  type BudgetDimension,
  type BudgetRole,
  MICROUSD_PER_USD,
  type Need,
  PartialCaps,
  parseCaps,
  REPLANS_WITHOUT_RATIONALE,
  type Tally,
} from './budget.ts';
export { ENFORCEMENT_OWNERS, PROFILE_CAPS, type ResolvedCaps, resolveCaps } from './budget-profile.ts';
export { canonicalize } from './canonical.ts';
export {
  Checkpoint,
  CheckpointVerdict,
  expandCheckpoints,
  StoredCheckpoint,
} from './checkpoint.ts';
export { Claim } from './claim.ts';
export { ContentAddress } from './content-address.ts';
export { CompiledContext, ContextItem, PackRef, type Pins } from './context.ts';
export { ApprovalEntry, DecisionRecord, DecisionSpec } from './decision.ts';
export type { Effect, EffectBodies, EffectKind, EffectOf, Flight, PlanReason } from './effect.ts';
export {
  ENDPOINTS,
  Endpoint,
  ESCALATION_ROUTES,
  EscalationEvent,
  EscalationRoute,
  EscalationTrigger,
  OTHER_TRIGGERS,
  RISK_STATES,
  ROUTE_OF_CLASS,
  SEVERITIES,
  Severity,
  TRIGGER_CLASSES,
  TriggerClass,
} from './escalation.ts';
export { ESCALATION_MATRIX, type EscalationRow } from './escalation-matrix.ts';
export type { EventBodies, EventBody, EventOf, EventType, RunEvent } from './event.ts';
export { parseEvent, parseEventBody } from './event-schema.ts';
export type { PlanAuthor } from './events/plan-events.ts';
export { REFUSAL_LAYERS, type RefusalLayer } from './events/step-events.ts';
export { Evidence, Provenance } from './evidence.ts';
export { Fault } from './fault.ts';
export { FAULT_CODES, FAULTS, type FaultCode, type FaultRow, faultRow } from './fault-table.ts';
export { FINDING_KINDS, FINDING_SEVERITIES, Finding, type FindingKind, type FindingSeverity } from './finding.ts';
export type { Frame, FrameLink } from './frame.ts';
export { deepFreeze } from './freeze.ts';
export {
  CREDENTIAL_KINDS,
  CredentialKind,
  GATE_DECISIONS,
  GATE_KINDS,
  GATE_STATUSES,
  Gate,
  GateDecision,
  GateDecisionKind,
  GateKind,
  GateStatus,
} from './gate.ts';
export { AcceptanceCriterion, CRITERION_RANKS, type CriterionRank, Goal } from './goal.ts';
export { StandingGrant } from './grant.ts';
export {
  CycleBound,
  EDGE_OWNERS,
  type EdgeDraft,
  EdgeOwner,
  GraphDraft,
  type GraphEdge,
  GraphNode,
  type GraphSpec,
  GuardDeclaration,
  NODE_ROLES,
  NodeRole,
  OUTCOME_CLASSES,
  type OutcomeClass,
  OutcomePath,
  TERMINAL_WRITES,
  TerminalWrite,
  TOOL_RULES,
  ToolNodeRules,
  type ToolRule,
} from './graph.ts';
export { Handoff } from './handoff.ts';
export { ADDRESS_PATTERN, type Address, address, addressOfText, type Hash } from './hash.ts';
export { type History, HistoryRef } from './history-ref.ts';
export { Identity, SafetyClearance, SecurityToken } from './identity.ts';
export { assertJson, JSON_LIMITS, type Json, type JsonLimits, type JsonObject } from './json.ts';
export { LANE_STATUSES, LaneEnvelope, LaneNote, LaneResult, LaneSeat, LaneSpec, LaneStatus, LaneWait } from './lane.ts';
export { ENVIRONMENTS, Environment, ModelVersions, parseManifest, RunManifest, Versions } from './manifest.ts';
export { MemoryEntry, MemoryProposal } from './memory.ts';
export { Instant, Name, Statement, Text, Timestamp } from './name.ts';
export {
  Attempted,
  Committed,
  Confirmed,
  Intended,
  Observed,
  RUNGS,
  type Rung,
  TimeoutPolicy,
  Verified,
} from './observation.ts';
export { parse } from './parse.ts';
export { parsePlan } from './parse-plan.ts';
export { PHASE_ARTIFACTS, PHASE_NAMES, PHASES, type Phase, PhaseArtifact, PhaseName } from './phase.ts';
export { PHASE_HANDOFFS } from './phase-handoff.ts';
export {
  Assumption,
  Binding,
  DecisionCheckpoint,
  looksLikeBinding,
  Plan,
  type PlanInput,
  PlanStep,
  Subtask,
} from './plan.ts';
export { Pointer } from './pointer.ts';
export { Problem } from './problem.ts';
export { BudgetRemaining, ProgressEnvelope } from './progress.ts';
export { PROPOSAL_KINDS, Proposal, ProposalKind } from './proposal.ts';
export { REFLECTION_TRIGGERS, ReflectionTrigger } from './reflection.ts';
export { atLeast, RISK_CLASSES, RiskClass } from './risk.ts';
export { RISK_PROFILE_NAMES, RISK_PROFILES, type RiskProfile, RiskProfileName } from './risk-profile.ts';
export { Rubric } from './rubric.ts';
export { DEPTH_MAX, ParentRun, RunContext } from './run-context.ts';
export {
  GoalRequest,
  LONG_RUNNING_MS_MIN,
  parseRunRequest,
  RUN_MODES,
  RunMode,
  RunRequest,
  RuntimeRequest,
} from './run-request.ts';
export { CheckpointEntry, Heartbeat, Session, SessionPause } from './session.ts';
export { PAUSE_CAUSES, PauseCause, SESSION_STATUSES, SessionStatus } from './session-status.ts';
export {
  STATE_CATEGORIES,
  STATE_READERS,
  STATE_STORES,
  STATE_WRITES,
  type StateAccess,
  StateCategory,
  type StateReader,
  type StateStore,
  type StateWrite,
} from './state-store.ts';
export { Stop } from './stop.ts';
export { parseStore, type StorePlace, type StoreWriter } from './store-name.ts';
export { TERMINAL_CODES, TerminalCode } from './terminal-code.ts';
export { TERMINAL_CODE_TABLE, type TerminalCodeRow } from './terminal-code-table.ts';
export {
  Idempotency,
  TOOL_CATEGORIES,
  TOOL_OUTCOMES,
  ToolCall,
  ToolCategory,
  ToolCost,
  ToolOutcome,
  ToolRegistry,
  ToolResult,
  ToolSpec,
} from './tool.ts';
export {
  BudgetTrace,
  ESCALATION_OUTCOMES,
  EscalationRequest,
  EscalationTrace,
  EventPointer,
  type GateRequest,
  type HandoverRequest,
  NONE,
  type None,
  type QuestionRequest,
  RunTrace,
  StateCheckpoint,
  ToolCallTrace,
  UserScope,
  VALIDATION_KINDS,
  ValidationResult,
} from './trace.ts';
export { Transcript } from './transcript.ts';
export {
  PLAN_VERDICTS,
  PlanVerdict,
  Scores,
  STEP_VERDICTS,
  StepScore,
  StepVerdict,
  VerdictEnvelope,
} from './verdict.ts';
