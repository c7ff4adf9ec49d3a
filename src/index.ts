/**
 * The front door. Every name here is a promise.
 * @module
 */
export {
  ambit,
  artifacts,
  contextPack,
  decisionsFrom,
  keyTools,
  type Machinery,
  machinery,
  memoryStores,
  modelClassifier,
  modelDrafter,
  modelJudge,
  modelProfile,
  modelReviewer,
  openJournal,
  planFirst,
  promptTool,
  reactive,
  storeTools,
  vaults,
} from './compose.ts';
export type { Evaluator, RunCase, StepCase } from './critic/evaluator.ts';
export { instructionDetector } from './critic/step/instructions.ts';
export type { Detection, Detector } from './critic/step/safety.ts';
export { secretDetector } from './critic/step/secrets.ts';
export type { Ambit } from './facade/ambit.ts';
export { type AmbitConfig, defineConfig } from './facade/config.ts';
export type { DescribedAgent } from './facade/described-agent.ts';
export { type LaneOptions, type LaneTool, lane } from './facade/lane.ts';
export type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from './facade/options.ts';
export type { ChainReport, Damage } from './facade/records/check-chain.ts';
export type { ForkOrigin } from './facade/records/fork-origin.ts';
export type { ForkOptions } from './facade/records/fork-run.ts';
export type { ImportedRun } from './facade/records/import-run.ts';
export type { RawObservation } from './facade/records/observation.ts';
export type { Evaluators, Otherwise } from './facade/records/otherwise.ts';
export type { RunRecords } from './facade/records/run-records.ts';
export type { ServeOptions, Serving } from './facade/serving.ts';
export { type Workspace, type WorkspaceOptions, workspace } from './facade/workspace.ts';
export type { Rules, World } from './facade/world.ts';
export type { Inbox, InboxFilter, InboxGroup, InboxItem } from './gates/inbox.ts';
export { enrolKey, type NewKey, rotateKey } from './gates/keys.ts';
export { signDecision, signInfo, signRunDecision } from './gates/sign.ts';
export type { BreakerReading } from './gateway/limits/breakers.ts';
export type { ResultOf, Tool, ToolOptions } from './gateway/tool/options.ts';
export type { PromptBounds, PromptText, PromptToolOptions } from './gateway/tool/prompt-tool.ts';
export type { StandardSchema, ToolSchema } from './gateway/tool/standard-schema.ts';
export { tool } from './gateway/tool/tool.ts';
export { compile } from './kernel/graph/compile.ts';
export type { CompiledGraph, Guard, GuardTable } from './kernel/graph/compiled-graph.ts';
export { defineGraph } from './kernel/graph/define.ts';
export { toMermaid } from './kernel/graph/mermaid.ts';
export { STANDARD_GRAPHS, type StandardGraphName } from './kernel/graph/standard-graphs.ts';
export { chooseTier, tierOf } from './kernel/ladder.ts';
export { TOPOLOGIES, type Topology } from './kernel/topologies.ts';
export { chooseTopology, topologyOf } from './kernel/topology.ts';
export { type AgentSpec, parseAgent } from './model/agent.ts';
export type { ApprovalPacket } from './model/approval-packet.ts';
export type { Artifact, ArtifactKind } from './model/artifact.ts';
export type { Ask } from './model/ask.ts';
export type { AuditEntry } from './model/audit-entry.ts';
export type { Boundary } from './model/boundary.ts';
export type { CompiledContext, ContextItem } from './model/context.ts';
export type { ContextPack, ContextSources } from './model/context-pack.ts';
export type { DecisionRecord, DecisionSpec } from './model/decision.ts';
export { type DecisionStatement, type InfoStatement, infoText, statementText } from './model/decision-statement.ts';
export type { CachedAnswer, Degradation } from './model/degradation.ts';
export type { DryRun } from './model/dry-run.ts';
export type { EventBody, RunEvent } from './model/event.ts';
export { Fault, type FaultCode } from './model/fault.ts';
export { type ForkStatement, forkText } from './model/fork-statement.ts';
export type { Frame } from './model/frame.ts';
export type { GatePolicy } from './model/gate.ts';
export { type GrantTerms, grantText, type RefusedGrant, revocationText, type StandingGrant } from './model/grant.ts';
export type { Handoff } from './model/handoff.ts';
export { BudgetLimits, EscalationRoutes, ScopeRecord } from './model/handovers/bound-handovers.ts';
export { ApprovalPackets, GovernanceRecord, ReviewRecords } from './model/handovers/people-handovers.ts';
export {
  IncidentBundle,
  MetricStream,
  ReplayBundle,
  RunTemplates,
  ScenarioSet,
} from './model/handovers/run-handovers.ts';
export { GroundedObservations, RetryHistory, ToolContracts } from './model/handovers/tool-handovers.ts';
export type { Identity } from './model/identity.ts';
export type { Json, JsonObject } from './model/json.ts';
export type { KillScope, KillSwitch, KillSwitchAct } from './model/kill-switch.ts';
export type { MemoryEntry, MemoryLabels, MemoryProposal, MemoryRuling } from './model/memory.ts';
export type { ModelPrice } from './model/model-price.ts';
export type { Plan, PlanStep } from './model/plan.ts';
export type { PolicyDifference } from './model/policy-decision.ts';
export type { CategoryRules } from './model/rules/category-rules.ts';
export type { RunRequest } from './model/run-request.ts';
export { evidenceText, liftText, type RunStatement, runStatementText } from './model/run-statement.ts';
export type { SigningKey } from './model/signing-key.ts';
export type { ToolSpec } from './model/tool.ts';
export type { EscalationTrace, RunTrace, StateCheckpoint, ToolCallTrace, ValidationResult } from './model/trace.ts';
export type { Transcript } from './model/transcript.ts';
export type { VerdictEnvelope } from './model/verdict.ts';
export type { Authenticator, Credential as ApproverCredential, Person } from './ports/approvers.ts';
export type { Authorizer } from './ports/authorizer.ts';
export type { BoundTool, ToolContext, ToolProbing } from './ports/bound-tool.ts';
export type { Clock } from './ports/clock.ts';
export type { CredentialBroker, CredentialRequest, RevocationRequest, ToolCredential } from './ports/credentials.ts';
export type { Drafter, DraftPlace, DraftRequest } from './ports/drafter.ts';
export type { Infrastructure, InfrastructureRuling, OutboundCall } from './ports/infrastructure.ts';
export type { Journal } from './ports/journal.ts';
export type { Judge, JudgeQuestion } from './ports/judge.ts';
export type { KeyPair, KeyStore, KeyTools } from './ports/keys.ts';
export type {
  ForeignModel,
  Generated,
  LanguageModel,
  ModelAnswer,
  ModelParameters,
  ModelProfile,
  ModelPrompt,
  Models,
  PricedModel,
  RetryPolicy,
} from './ports/language-model.ts';
export type { Logger, LogLine, LogSink } from './ports/log.ts';
export type { MemoryRow, MemoryStore, MemoryStores } from './ports/memory-store.ts';
export { METRICS, type MetricKind, type MetricLabels, type MetricName, type Metrics } from './ports/metrics.ts';
export type { PlanAnswer, Planner, PlanRequest } from './ports/planner.ts';
export type { Compression, CompressionRequest, Reflection, Reviewer } from './ports/reviewer.ts';
export type { Served, ServeLimits } from './ports/scheduler.ts';
export type { Note, Scratchpad } from './ports/scratchpad.ts';
export type {
  AnchorFinding,
  AnchorOptions,
  Anchors,
  AnchorVerdict,
  ChainHead,
  Pruned,
  PruneOptions,
  StoreProblem,
  StoreReport,
  StoreTools,
} from './ports/store-tools.ts';
export type { Timer, Wait } from './ports/timer.ts';
export type { Erasure, Look, SealedTenant, Vault, Vaults } from './ports/vault.ts';
export type { WorkspaceFiles } from './ports/workspace-files.ts';
export { accountOf } from './record/account.ts';
export { verifyAuditRecord } from './record/audit-record.ts';
export { budgetLimits, escalationRoutes, scopeRecord } from './record/handovers/about-bounds.ts';
export { approvalPackets, governanceRecord, reviewRecords } from './record/handovers/about-people.ts';
export {
  incidentBundle,
  metricStream,
  replayBundle,
  runTemplates,
  scenarioSet,
} from './record/handovers/about-runs.ts';
export { groundedObservations, retryHistory, toolContracts } from './record/handovers/about-tools.ts';
export type { FinishedRun } from './record/handovers/finished-run.ts';
export type { Incident } from './record/incidents.ts';
export type { ModelExchange } from './record/model-exchanges.ts';
export type { OtlpAttribute, OtlpSpan, OtlpTraces } from './record/otel/otlp.ts';
export type { Diagnosis } from './record/pathologies/diagnose.ts';
export { PATHOLOGIES, type Pathology, type PathologyFamily } from './record/pathologies/families.ts';
export type { PhaseRecord } from './record/phases.ts';
export type { RunCounts } from './record/rates/run-counts.ts';
export { type RunRates, ratesOf } from './record/rates/run-rates.ts';
export type { DecisionDifference } from './replay/decisions.ts';
export type { FirstDifference, RunDiff, RunSummary } from './replay/diff-runs.ts';
export type { Replayed } from './replay/replay.ts';
export type { StateView } from './replay/state-view.ts';
export type { UnknownFrom, WhatIf } from './replay/what-if.ts';
export { type LadderPlanners, ladderPlanner } from './roles/ladder-planner.ts';
export type { ModelJudgeOptions } from './roles/model-judge.ts';
export type { ModelProfileOptions } from './roles/model-profile.ts';
export type { ModelRoleOptions } from './roles/model-role.ts';
export type { PlanFirstOptions } from './roles/plan-first.ts';
export type { PromptBuilder } from './roles/prompts/common.ts';
export type { ReactiveOptions } from './roles/reactive.ts';
export { clarify, respond } from './roles/speaking-tools.ts';
export { type PlanTemplates, templatePlanner } from './roles/template-planner.ts';
export type { GateStanding } from './session/closed-gate.ts';
export type { GateAnswer, GateEdit, GateInquiry } from './session/decide-gate.ts';
export type { BudgetAnswer, EscalationAnswer, MigrationAnswer, RunAnswer, SteeringNote } from './session/decide-run.ts';
export { type Agent, type AgentOptions, agent } from './session/declare/agent.ts';
export { type DecisionOptions, decision } from './session/declare/decision.ts';
export type { KillSwitchDesk } from './session/kill-switches.ts';
export type { MemoryDesk } from './session/memory/memory-desk.ts';
export type { FollowOptions } from './session/news.ts';
export type { SessionNotice } from './session/notices.ts';
export type { RunDriver } from './session/operator.ts';
export type { OpenInquiry, PendingGate, PlanInForce, RunOutcome } from './session/outcome.ts';
export type { InfoAnswer } from './session/provide-info.ts';
export type { CredentialFor, ResumedSession } from './session/resume-all.ts';
export type { AskedQuestion } from './session/runtime.ts';
export type { SessionDesk } from './session/session-desk.ts';
export type { SessionQuery, SessionSummary } from './session/session-list.ts';
export type { TenantDoor } from './session/tenants/tenant-door.ts';
export {
  type ErasureStatement,
  erasureText,
  type LookStatement,
  lookText,
  type VaultDesk,
} from './session/vault-desk.ts';
export type { WatchedEvent } from './session/watch.ts';
