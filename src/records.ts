/**
 * `ambit/records`: traces, replay, comparison, diagnosis, rates, handover documents and audit of recorded runs.
 * @module
 */
export { type Machinery, machinery } from './compose.ts';
export type { Evaluators } from './critic/evaluators/evaluator.ts';
export type { BreakerReading } from './gateway/limits/breakers.ts';
export { type OtlpGauge, type OtlpMetrics, otlpMetrics, prometheusText } from './metrics/exposition.ts';
export type { MetricPart } from './metrics/measure.ts';
export type { Bound, Metric, MetricId, MetricOwner, MetricUnit } from './metrics/metric.ts';
export { RUN_METRICS } from './metrics/registry.ts';
export type { MetricGroupReport, MetricResult, MetricsReport, MetricVerdict } from './metrics/report.ts';
export type { RunFacts } from './metrics/run-facts.ts';
export type { MetricGroup, MetricTarget } from './metrics/targets.ts';
export type { DecisionRecord } from './model/critic/decision-record.ts';
export type { Rubric } from './model/critic/rubric.ts';
export type { VerdictEnvelope } from './model/critic/verdict.ts';
export type { EventBody, RunEvent } from './model/events/event.ts';
export type { Frame } from './model/events/frame.ts';
export type { Handoff } from './model/gate/handoff.ts';
export type { DryRun } from './model/plan/dry-run.ts';
export type { PlanPreview, PlanReport } from './model/plan/plan-report.ts';
export type { PolicyDifference } from './model/policy/policy-decision.ts';
export type { AuditEntry } from './model/record/audit-entry.ts';
export {
  ApprovalPackets,
  BudgetLimits,
  EscalationRoutes,
  GovernanceRecord,
  GroundedObservations,
  IncidentBundle,
  MetricStream,
  ReplayBundle,
  RetryHistory,
  ReviewRecords,
  RunTemplates,
  ScenarioSet,
  ScopeRecord,
  ToolContracts,
} from './model/record/handovers.ts';
export type { LabelFields, RunLabel } from './model/record/run-label.ts';
export type {
  EscalationTrace,
  RunTrace,
  StateCheckpoint,
  ToolCallTrace,
  ValidationResult,
} from './model/record/trace.ts';
export type { Transcript } from './model/record/transcript.ts';
export { accountOf } from './record/account.ts';
export { type AuditProblem, verifyAuditRecord } from './record/audit-record.ts';
export type { FinishedRun } from './record/handovers.ts';
export {
  approvalPackets,
  budgetLimits,
  escalationRoutes,
  governanceRecord,
  groundedObservations,
  incidentBundle,
  metricStream,
  replayBundle,
  retryHistory,
  reviewRecords,
  runTemplates,
  scenarioSet,
  scopeRecord,
  toolContracts,
} from './record/handovers.ts';
export type { Incident } from './record/incidents.ts';
export type { ModelExchange } from './record/model-exchanges.ts';
export type { Diagnosis } from './record/pathologies/diagnose.ts';
export { PATHOLOGIES, type Pathology, type PathologyFamily } from './record/pathologies/families.ts';
export type { PhaseRecord } from './record/phases.ts';
export type { OtlpAttribute, OtlpSpan, OtlpTraces } from './record/telemetry/run-spans.ts';
export type { DecisionDifference, FirstDifference, RunDiff, RunSummary } from './replay/diff-runs.ts';
export type { Replayed } from './replay/replay.ts';
export type { StateView } from './replay/state-view.ts';
export type { UnknownFrom, WhatIf } from './replay/what-if.ts';
export type { Agents, DescribedAgent, Records, Sessions } from './runtime/ambit.ts';
export type { AgentExplanation, ExplainedLine } from './runtime/explain/explanation.ts';
export type { MetricsProgress, MetricsQuery, StoreMetrics, UnreadRun } from './runtime/metrics/create-metrics.ts';
export type { LabelOrder } from './runtime/metrics/run-labels.ts';
export type { ChainReport, Damage } from './runtime/records/check-chain.ts';
export type { ForkOptions, ForkOrigin } from './runtime/records/fork-run.ts';
export type { ImportedRun } from './runtime/records/import-run.ts';
export type { RawObservation } from './runtime/records/observation.ts';
export type { AlteredRun, ProofReport, UnprovenRecord } from './runtime/records/proof-report.ts';
export type { CheckedReplay, VerifyReport } from './runtime/records/run-records.ts';
export type { WhatIfRules } from './runtime/records/what-if-rules.ts';
export type { CredentialFor, ResumedSession } from './runtime/serve.ts';
export type { DamagedSession } from './runtime/sessions/damaged-sessions.ts';
export type { SessionQuery, SessionSummary } from './runtime/sessions/list-sessions.ts';
export type { RunDriver } from './runtime/sessions/operate.ts';
export type { SessionQueries } from './runtime/sessions/session-queries.ts';
export type { ExportedThread, Thread, ThreadQuery, ThreadRun, ThreadSummary } from './runtime/threads.ts';
export type { VerifyOptions } from './runtime/verify-plan.ts';
export type { FollowOptions } from './session/follow.ts';
export type { PlanInForce, UncertainCall } from './session/outcome.ts';
export type { RoleUsage, RunUsage } from './session/usage.ts';
export type { SessionNotice, WatchedEvent } from './session/watch.ts';
