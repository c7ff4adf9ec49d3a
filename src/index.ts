/**
 * The package root: declare agents, tools and planners, and run them. The sub-paths `ambit/graph`, `ambit/records`,
 * `ambit/approvals` and `ambit/store` hold the rest.
 * @module
 */

export type { Agent, AgentOptions } from './agent/agent.ts';
export { type DecisionOptions, decision } from './agent/decision.ts';
export { type LaneOptions, type LaneTool, lane } from './agent/lane.ts';
export type { AgentRuntimeOptions, AgentsRuntimeOptions, AmbitOptions } from './agent/options.ts';
export { type AmbitConfig, defineConfig } from './agent/options.ts';
export { type Workspace, type WorkspaceOptions, workspace } from './agent/workspace.ts';
export type { Rules, World } from './agent/world.ts';
export {
  agent,
  ambit,
  decisionsFrom,
  modelAnswerJudge,
  modelClassifier,
  modelComposer,
  modelDrafter,
  modelJudge,
  modelProfile,
  modelReviewer,
  planFirst,
  promptTool,
  reactive,
} from './compose.ts';
export { instructionDetector } from './critic/step/instructions.ts';
export type { Detector } from './critic/step/safety.ts';
export { secretDetector } from './critic/step/secrets.ts';
export type { ResultOf, Tool, ToolOptions } from './gateway/tool/options.ts';
export type { PromptToolOptions } from './gateway/tool/prompt-tool.ts';
export type { ToolSchema } from './gateway/tool/standard-schema.ts';
export { tool } from './gateway/tool/tool.ts';
export type { DecisionSpec } from './model/critic/decision.ts';
export { Fault, type FaultCode } from './model/fault/fault.ts';
export type { Json, JsonObject } from './model/json/json.ts';
export type { Plan, PlanStep } from './model/plan/plan.ts';
export type { Boundary } from './model/policy/boundary.ts';
export type { AgentSpec } from './model/run/agent.ts';
export type { Identity } from './model/run/identity.ts';
export type { RequestUser, RunRequest, StartRequest } from './model/run/run-request.ts';
export type { ToolSpec } from './model/tool/tool.ts';
export type { BoundTool, ToolContext } from './ports/bound-tool.ts';
export type { LanguageModel, ModelProfile } from './ports/model/language-model.ts';
export type { Classifier, Composer, Drafter, Judge, Reviewer } from './ports/model/model-roles.ts';
export type { PlanAnswer, Planner, PlanRequest } from './ports/model/planner.ts';
export { ladderPlanner } from './roles/ladder-planner.ts';
export type { ModelJudgeOptions } from './roles/model-judge.ts';
export type { ModelProfileOptions, ModelRoleOptions } from './roles/model-profile.ts';
export type { PlanFirstOptions } from './roles/plan-first.ts';
export type { ReactiveOptions } from './roles/reactive.ts';
export { clarify, respond } from './roles/speaking-tools.ts';
export { type PlanTemplates, templatePlanner } from './roles/template-planner.ts';
export type { Ambit } from './runtime/ambit.ts';
export type { RunHandle, StartOptions } from './runtime/run-handle.ts';
export type { TenantRuntime } from './runtime/tenants/tenant-runtime.ts';
export type { RunOutcome } from './session/outcome.ts';
