/** The public surface: the names that each entry file exports, and the members of a runtime. */
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { TOP_ENTRIES } from '../../scripts/house/plan.ts';
import { planOf, rig } from '../runs/rig.ts';

const ROOT_NAMES_MAX = 80;
const RUNTIME_MEMBERS_MAX = 17;

/** Every exported name, types included. A name that is added, moved or removed changes this list on purpose. */
const NAMES: Readonly<Record<string, string>> = {
  'src/index.ts': `
    Agent AgentOptions AgentRuntimeOptions AgentSpec AgentsRuntimeOptions Ambit AmbitConfig AmbitOptions BoundTool
    Boundary Classifier Composer DecisionOptions DecisionSpec Detector Drafter Fault FaultCode Identity Json JsonObject
    Judge LaneOptions LaneTool LanguageModel ModelJudgeOptions ModelProfile ModelProfileOptions
    ModelRoleOptions Plan PlanAnswer PlanFirstOptions PlanRequest PlanStep PlanTemplates Planner PromptToolOptions
    ReactiveOptions RequestUser ResultOf Reviewer Rules RunHandle RunOutcome RunRequest StartOptions StartRequest
    TenantRuntime Tool ToolContext
    ToolOptions ToolSchema ToolSpec Workspace WorkspaceOptions World agent ambit clarify decision decisionsFrom
    defineConfig instructionDetector ladderPlanner lane modelAnswerJudge modelClassifier modelComposer modelDrafter modelJudge
    modelProfile modelReviewer planFirst promptTool reactive respond secretDetector templatePlanner tool workspace
  `,
  'src/graph.ts': `
    CompiledGraph Guard GuardTable STANDARD_GRAPHS StandardGraphName TOPOLOGIES Topology chooseTier chooseTopology
    GuardView OwnGuard OwnGuards compile defineGraph tierOf toMermaid topologyOf
  `,
  'src/records.ts': `
    AgentExplanation Agents ApprovalPackets AuditEntry AuditProblem BreakerReading BudgetLimits ChainReport CheckedReplay
    CredentialFor Damage DamagedSession AlteredRun ProofReport UnprovenRecord VerifyReport
    DecisionDifference DecisionRecord DescribedAgent Diagnosis DryRun EscalationRoutes EscalationTrace Evaluators
    EventBody ExplainedLine FinishedRun FirstDifference FollowOptions ForkOptions ForkOrigin Frame GovernanceRecord
    GroundedObservations Handoff ImportedRun Incident IncidentBundle Machinery MetricStream ModelExchange
    OtlpAttribute OtlpSpan OtlpTraces PATHOLOGIES Pathology PathologyFamily PhaseRecord PlanInForce
    PolicyDifference RawObservation Records ReplayBundle Replayed ResumedSession RetryHistory ReviewRecords
    PlanPreview PlanReport RoleUsage Rubric RunDiff RunDriver RunEvent RunFacts RunSummary RunTemplates RunTrace RunUsage ScenarioSet ScopeRecord
    ExportedThread SessionNotice SessionQueries SessionQuery SessionSummary Sessions StateCheckpoint StateView Thread
    ThreadQuery ThreadRun ThreadSummary ToolCallTrace
    ToolContracts Transcript UncertainCall UnknownFrom ValidationResult VerdictEnvelope VerifyOptions WatchedEvent WhatIf WhatIfRules
    accountOf approvalPackets budgetLimits escalationRoutes governanceRecord groundedObservations incidentBundle
    machinery metricStream otlpMetrics prometheusText replayBundle retryHistory reviewRecords runTemplates scenarioSet scopeRecord
    Bound LabelFields LabelOrder RunLabel Metric MetricGroup MetricGroupReport MetricId MetricOwner MetricPart MetricResult MetricTarget MetricUnit MetricVerdict
    MetricsProgress MetricsQuery MetricsReport OtlpGauge OtlpMetrics RUN_METRICS StoreMetrics UnreadRun
    toolContracts verifyAuditRecord
  `,
  'src/approvals.ts': `
    ApprovalPacket ApproverCredential AskedQuestion Authenticator BudgetAnswer DamagedGate DecisionStatement ErasureStatement
    EscalationAnswer EvidenceStatement ForkStatement GateAnswer GateEdit GateInquiry GatePolicy GateProgress GateStanding Gates
    GateTerms GrantStatement GrantTerms Grants Inbox InboxFilter InboxGroup InboxItem InfoAnswer InfoStatement KeyPair
    KeyStore KeyTools KillScope KillSwitch KillSwitchAct KillSwitches LabelStatement LiftStatement MigrationAnswer NewKey
    OpenInquiry PendingGate PlannedMigration Person RefusedGrant RevocationStatement RunAnswer RunStatement SealedReadStatement
    SignedStatements SigningKey SigningTexts StandingGrant SteeringNote decidableGates enrolKey keyTools rotateKey signDecision
    signInfo signRunDecision signingText
  `,
  'src/store.ts': `
    AnchorFinding AnchorOptions AnchorVerdict Anchors AnswerJudge Artifact ArtifactKind Authorizer CachedAnswer CategoryRules
    ChainHead Clock CompiledContext Compression CompressionRequest ContextItem ContextPack ContextSources
    CredentialBroker CredentialRequest Degradation Detection DraftPlace DraftRequest Erasure Evaluator FileAccess
    ForeignModel Generated Infrastructure InfrastructureRuling Journal JudgeQuestion LogLine LogSink Logger
    METRICS MasterKey MemoryAdmin MemoryEntry MemoryLabels MemoryProposal MemoryRow MemoryRuling MemoryStore MemoryStores
    MetricKind MetricLabels MetricName Metrics ModelAnswer ModelParameters ModelPrice ModelPrompt Models Note
    OutboundCall PricedModel PromptBounds PromptBuilder PromptText PruneOptions Pruned Reflection RetryPolicy
    RevocationRequest RunCase Scratchpad SealedTenant ServeLimits ServeOptions Served StandardSchema StepCase
    StoreProblem StoreReport StoreTools Timer ToolCredential ToolProbing Vault VaultAccess VaultAdmin
    VaultProtection Vaults Wait WorkspaceFiles WorkspaceFolders artifacts contextPack memoryStores openJournal storeTools vaults
  `,
};

const RUNTIME =
  'agents approve close gates grants invoke killSwitches memory records resume serve sessions start threads vault verify within';
const TENANT_RUNTIME = 'agents approve gates grants invoke memory records resume sessions start threads verify';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

function exportedBy(path: string): readonly string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const { staticExports } = parseSync(path, text).module;
  return staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? '*')).toSorted();
}

test.each(TOP_ENTRIES)('%s exports the listed names and no others', (path) => {
  expect(exportedBy(path)).toEqual(words(NAMES[path] ?? '').toSorted());
});

test('the package root has at most 80 names, and no entry repeats a name of another', () => {
  expect(exportedBy('src/index.ts').length).toBeLessThanOrEqual(ROOT_NAMES_MAX);
  const all = TOP_ENTRIES.flatMap(exportedBy);
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

test(`a runtime has at most ${RUNTIME_MEMBERS_MAX} members: methods, and groups of methods by noun`, () => {
  const { runtime } = rig({ tools: {}, plans: [planOf([])] });
  const members = Object.keys(runtime).toSorted();
  expect(members).toEqual(words(RUNTIME));
  expect(members.length).toBeLessThanOrEqual(RUNTIME_MEMBERS_MAX);
  const tenant = runtime.within({
    actor: 'agt_1',
    tenant_id: 'tenant_1',
    roles: [],
    scopes: ['all'],
    expires_at: Number.MAX_SAFE_INTEGER,
  });
  expect(Object.keys(tenant).toSorted()).toEqual(words(TENANT_RUNTIME));
});
