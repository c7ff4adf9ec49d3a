/**
 * `ambit/model`: the domain types. Each is a readonly type and, under the same name, the schema that parses it from
 * untrusted JSON. The fault and terminal code tables are here too. All names are public API.
 */

export {
  Allotment,
  AMOUNT_MAX,
  BUDGET_ROLES,
  type Budget,
  BudgetCaps,
  type BudgetCounter,
  type BudgetCounters,
  type BudgetRole,
  type Need,
  PartialCaps,
  parseCaps,
  REPLANS_WITHOUT_RATIONALE,
  type Tally,
} from './budget/budget.ts';
export { ENFORCEMENT_OWNERS, PROFILE_CAPS, type ResolvedCaps, resolveCaps } from './budget/budget-profile.ts';
export { BUDGET_DIMENSIONS, type BudgetDimension, MICROUSD_PER_USD } from './budget/dimensions.ts';
export { DecisionSpec } from './critic/decision.ts';
export { ApprovalEntry, DecisionRecord } from './critic/decision-record.ts';
export { Rubric } from './critic/rubric.ts';
export {
  FINDING_KINDS,
  FINDING_SEVERITIES,
  Finding,
  type FindingKind,
  type FindingSeverity,
  PLAN_VERDICTS,
  PlanVerdict,
  Scores,
  STEP_VERDICTS,
  StepScore,
  StepVerdict,
  VerdictEnvelope,
} from './critic/verdict.ts';
export { Checkpoint, CheckpointVerdict, expandCheckpoints, StoredCheckpoint } from './events/checkpoint.ts';
export type { Effect, EffectBodies, EffectKind, EffectOf, Flight, PlanReason } from './events/effect.ts';
export type { EventBodies, EventBody, EventOf, EventType, RunEvent } from './events/event.ts';
export { parseEvent, parseEventBody } from './events/event-schema.ts';
export type { Frame, FrameLink } from './events/frame.ts';
export { frameEvents } from './events/frame-events.ts';
export { type History, HistoryRef } from './events/history.ts';
export type { PlanAuthor } from './events/plan-events.ts';
export { REFUSAL_LAYERS, type RefusalLayer } from './events/step-events.ts';
export { CompiledContext, ContextItem, PackRef, type Pins } from './evidence/context.ts';
export { Claim, Evidence, Provenance } from './evidence/evidence.ts';
export { MemoryEntry, MemoryProposal } from './evidence/memory.ts';
export { Fault } from './fault/fault.ts';
export { FAULT_CODES, FAULTS, type FaultCode, type FaultRow, faultRow } from './fault/fault-table.ts';
export {
  Stop,
  TERMINAL_CODE_TABLE,
  TERMINAL_CODES,
  TerminalCode,
  type TerminalCodeRow,
} from './fault/terminal-code.ts';
export { APPROVAL_MODES, ApprovalMode, compareModes, runsInline } from './gate/approval-mode.ts';
export { ApprovalPacket, EvidenceRef } from './gate/approval-packet.ts';
export {
  ENDPOINTS,
  Endpoint,
  ESCALATION_MATRIX,
  ESCALATION_ROUTES,
  EscalationEvent,
  EscalationRoute,
  type EscalationRow,
  EscalationTrigger,
  OTHER_TRIGGERS,
  RISK_STATES,
  ROUTE_OF_CLASS,
  SEVERITIES,
  Severity,
  TRIGGER_CLASSES,
  TriggerClass,
} from './gate/escalation.ts';
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
} from './gate/gate.ts';
export { StandingGrant } from './gate/grant.ts';
export { Handoff } from './gate/handoff.ts';
export { canonicalize } from './json/canonical.ts';
export { deepFreeze } from './json/freeze.ts';
export { ADDRESS_PATTERN, type Address, address, addressOfText, ContentAddress, type Hash } from './json/hash.ts';
export { assertJson, JSON_LIMITS, type Json, type JsonLimits, type JsonObject } from './json/json.ts';
export { Instant, Name, Statement, Text, Timestamp } from './json/name.ts';
export { parse } from './json/parse.ts';
export { Pointer, pointerKeys } from './json/pointer.ts';
export { Problem } from './json/problem.ts';
export { AcceptanceCriterion, CRITERION_RANKS, type CriterionRank, Goal } from './plan/goal.ts';
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
} from './plan/graph.ts';
export { parsePlan } from './plan/parse-plan.ts';
export {
  PHASE_ARTIFACTS,
  PHASE_HANDOFFS,
  PHASE_NAMES,
  PHASES,
  type Phase,
  PhaseArtifact,
  PhaseName,
} from './plan/phase.ts';
export {
  Assumption,
  Binding,
  DecisionCheckpoint,
  looksLikeBinding,
  Plan,
  type PlanInput,
  PlanStep,
  Subtask,
} from './plan/plan.ts';
export { PROPOSAL_KINDS, Proposal, ProposalKind, REFLECTION_TRIGGERS, ReflectionTrigger } from './plan/proposal.ts';
export { BOUNDARY_DIMENSIONS, Boundary, ObservationBounds, StateWriteBounds, ToolBounds } from './policy/boundary.ts';
export {
  atLeast,
  RISK_CLASSES,
  RISK_PROFILE_NAMES,
  RISK_PROFILES,
  RiskClass,
  type RiskProfile,
  RiskProfileName,
} from './policy/risk.ts';
export {
  BudgetTrace,
  ESCALATION_OUTCOMES,
  EscalationRequest,
  EscalationTrace,
  EventPointer,
  type HandoverRequest,
  NONE,
  type None,
  type QuestionRequest,
  RunTrace,
  StateCheckpoint,
  ToolCallTrace,
  type TracedGateRequest,
  UserScope,
  VALIDATION_KINDS,
  ValidationResult,
} from './record/trace.ts';
export { Transcript } from './record/transcript.ts';
export {
  type AgentAccess,
  type AgentAutonomy,
  type AgentBudget,
  type AgentPins,
  AgentSpec,
  parseAgent,
} from './run/agent.ts';
export { Identity, SafetyClearance, SecurityToken } from './run/identity.ts';
export {
  DEPTH_MAX,
  LANE_STATUSES,
  LaneContext,
  LaneEnvelope,
  LaneNote,
  LaneResult,
  LaneSpec,
  LaneStatus,
  LaneWait,
} from './run/lane.ts';
export { ENVIRONMENTS, Environment, ModelVersions, parseManifest, RunManifest, Versions } from './run/manifest.ts';
export { ParentRun, RunContext } from './run/run-context.ts';
export {
  GoalRequest,
  LONG_RUNNING_MS_MIN,
  parseRunRequest,
  RUN_MODES,
  RunMode,
  RunRequest,
  RuntimeRequest,
} from './run/run-request.ts';
export { BudgetRemaining, CheckpointEntry, Heartbeat, ProgressEnvelope, Session, SessionPause } from './run/session.ts';
export { PAUSE_CAUSES, PauseCause, SESSION_STATUSES, SessionStatus } from './run/session-status.ts';
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
} from './run/state-store.ts';
export { parseStore, type StorePlace, type StoreWriter } from './run/store-name.ts';
export { visibleJson, visibleText } from './text/visible-text.ts';
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
} from './tool/observation.ts';
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
} from './tool/tool.ts';
