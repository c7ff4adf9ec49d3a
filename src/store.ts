/**
 * `ambit/store`: journals, memory, vaults, artifacts and context packs, and the interfaces that a host implements.
 * @module
 */
export { artifacts, contextPack, memoryStores, openJournal, storeTools, vaults } from './compose.ts';
export type { Evaluator } from './critic/evaluators/evaluator.ts';
export type { Detection } from './critic/step/safety.ts';
export type { PromptBounds, PromptText } from './gateway/tool/prompt-tool.ts';
export type { StandardSchema } from './gateway/tool/standard-schema.ts';
export type { ModelPrice } from './model/budget/model-price.ts';
export type { RunCase, StepCase } from './model/critic/judged-case.ts';
export type { CompiledContext, ContextItem } from './model/evidence/context.ts';
export type { ContextPack, ContextSources } from './model/evidence/context-pack.ts';
export type { MemoryEntry, MemoryLabels, MemoryProposal, MemoryRuling } from './model/evidence/memory.ts';
export type { Artifact, ArtifactKind } from './model/record/artifact.ts';
export type { CachedAnswer, Degradation } from './model/tool/degradation.ts';
export type { CategoryRules } from './model/tool/rules/category-rules.ts';
export type { Authorizer } from './ports/authorizer.ts';
export type { Logger, LogLine, LogSink, ToolProbing } from './ports/bound-tool.ts';
export type { Clock, Timer, Wait } from './ports/clock.ts';
export type { CredentialBroker, CredentialRequest, RevocationRequest, ToolCredential } from './ports/credentials.ts';
export type { Infrastructure, InfrastructureRuling, OutboundCall } from './ports/infrastructure.ts';
export type { Journal } from './ports/journal/journal.ts';
export type { Served, ServeLimits } from './ports/journal/scheduler.ts';
export { METRICS, type MetricKind, type MetricLabels, type MetricName, type Metrics } from './ports/metrics.ts';
export type {
  ForeignModel,
  Generated,
  ModelAnswer,
  ModelParameters,
  ModelPrompt,
  Models,
  PricedModel,
  RetryPolicy,
} from './ports/model/language-model.ts';
export type {
  AnswerJudge,
  Compression,
  CompressionRequest,
  DraftPlace,
  DraftRequest,
  JudgeQuestion,
  Reflection,
} from './ports/model/model-roles.ts';
export type { MemoryRow, MemoryStore, MemoryStores } from './ports/store/memory-store.ts';
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
} from './ports/store/store-tools.ts';
export type {
  Erasure,
  MasterKey,
  SealedTenant,
  Vault,
  VaultAccess,
  VaultProtection,
  Vaults,
} from './ports/store/vault.ts';
export type { FileAccess, Note, Scratchpad, WorkspaceFiles, WorkspaceFolders } from './ports/workspace-files.ts';
export type { PromptBuilder } from './roles/prompts/common.ts';
export type { MemoryAdmin } from './runtime/admin/memory.ts';
export type { VaultAdmin } from './runtime/admin/vault.ts';
export type { ServeOptions } from './runtime/serve.ts';
