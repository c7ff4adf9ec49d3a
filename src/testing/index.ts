/**
 * Test doubles and contract suites for your own agents and stores.
 * @module
 */
export { JOURNAL_CONTRACT, type JournalCase, type JournalStore, type Tampering } from './contracts/journal-contract.ts';
export { MEMORY_CONTRACT, type MemoryCase, type MemoryTestStore } from './contracts/memory-contract.ts';
export {
  CRASH_ORDER,
  type CrashedRun,
  type CrashOrder,
  type CrashPoints,
  type CrashSweepOptions,
  crashPoints,
  type SweptRun,
  sweepCrashes,
} from './crash-sweep/sweep.ts';
export { type ModelServer, modelServer } from './model-server/model-server.ts';
export type { ServedRequest, ServedTurn } from './model-server/served-turn.ts';
export { type RecordedMetrics, recordedMetrics } from './recorded-metrics.ts';
export { type PlanRule, type RuleModelOptions, ruleModel } from './rule-model.ts';
export { type AgentScenario, type SayOptions, type ScenarioOptions, scenario } from './scenario/scenario.ts';
export type { ScenarioDecider } from './scenario/scenario-run.ts';
export { type ApproverTurn, type ScriptedApprover, scriptedApprover } from './scripted-approver.ts';
export { type ModelTurn, type ScriptedModel, scriptedModel } from './scripted-model.ts';
export { type PlannerTurn, type ScriptedPlanner, scriptedPlanner } from './scripted-planner.ts';
export { type SimulatedClock, simulatedClock } from './simulated-clock.ts';
export {
  type SimulatedJournal,
  type SimulatedRun,
  type Simulator,
  type SimulatorParts,
  simulator,
} from './simulator/simulate.ts';
