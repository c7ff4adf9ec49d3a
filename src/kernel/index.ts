/**
 * The entry of the kernel. Other folders import no other kernel file.
 * @module
 */

export { chooseTopology } from './autonomy/choose-topology.ts';
export { chooseTier, type TaskNeed, tierOf } from './autonomy/tiers.ts';
export { TOPOLOGIES, type Topology, topologyOf } from './autonomy/topologies.ts';
export { budgetSnapshot, toWire } from './budget/view.ts';
export { envAt, type KernelEnv } from './env.ts';
export { cacheRuleFor } from './flow/call/degrade.ts';
export { refusedUntil } from './flow/call/tool-cooldown.ts';
export { checkDrafts } from './flow/plan/draft-arguments.ts';
export { assertCompiled, compile } from './graph/compile.ts';
export type { CompiledGraph, Guard, GuardTable } from './graph/compiled-graph.ts';
export { defineGraph } from './graph/define.ts';
export { toMermaid } from './graph/mermaid.ts';
export { STANDARD_GRAPH_NAMES, STANDARD_GRAPHS, type StandardGraphName } from './graph/standard-graphs.ts';
export { verdictDue } from './handlers/fork.ts';
export { nextDeadline, nextWake } from './handlers/time.ts';
export { type Critic, type Derived, ruleOnStoredAnswer } from './machine/derive.ts';
export { foldEvent, foldFrame, foldFrames } from './machine/fold.ts';
export { HANDLERS } from './machine/handler-table.ts';
export { type ProposedPlan, previewPlan, unplannedPreview } from './machine/preview-plan.ts';
export { step } from './machine/step.ts';
export { stopEventFor, type Turn, type TurnEnv, type TurnResult, takeTurn } from './machine/turn.ts';
export { callConditions } from './query/call/conditions.ts';
export { hasUnsettledCall, refuseIfUnsettled } from './query/call/doubt.ts';
export { callPolicy, probePolicy } from './query/call/policy.ts';
export { decisionOn, whyProbeForbidden } from './query/call/policy-record.ts';
export { callCap, earliestDispatch } from './query/call/tool-call.ts';
export { unsettledTool } from './query/call/unsettled-tool.ts';
export {
  activeContext,
  contextPointer,
  type ExtraContext,
  REFLECTION_POINTER,
} from './query/critic-input/active-context.ts';
export { checkCompression } from './query/critic-input/compression.ts';
export { recordDecision, verdictEnvelope } from './query/critic-input/record-decision.ts';
export { answerFacts } from './query/evidence/answer-facts.ts';
export { isObserved } from './query/evidence/committed.ts';
export { boundParts, presentedValues } from './query/evidence/presented-values.ts';
export { coverableGates, isRequester } from './query/gate/decider.ts';
export { stopIfUnanswered } from './query/gate/escalation.ts';
export { gateProgress } from './query/gate/gate-parts.ts';
export { decidersOf, gatePolicy, whyNotAdmitted } from './query/gate/gate-policy.ts';
export { questionPacket } from './query/gate/handover-packet.ts';
export { grantCovers } from './query/gate/standing-grants.ts';
export { GUARDS } from './query/guards.ts';
export { laneEnvelope, laneWait } from './query/lane/envelope.ts';
export { refuseLane } from './query/lane/lane-context.ts';
export { findOpenLanes } from './query/lane/open-lanes.ts';
export { whyLaneStopped } from './query/lane/why-lane-stopped.ts';
export {
  assertOwnEdges,
  explainMissingGuard,
  type GuardView,
  guardsForRecorded,
  guardsWith,
  missingGuards,
  type OwnGuard,
  type OwnGuards,
  ownGuardsOf,
  whyNotOwnGuard,
} from './query/own-guards.ts';
export { missingVersion } from './query/plan/pins.ts';
export { plannerView } from './query/plan/planner-view.ts';
export { isReactive } from './query/plan/reactive-route.ts';
export { directAnswer, directReply } from './query/plan/reasoning.ts';
export { doneSteps, nextStep } from './query/plan/steps.ts';
export { forbiddenCompanion, probeTools, type StillUsed, stillUsed } from './query/plan/still-used.ts';
export { innerTools, specOf } from './query/plan/tools.ts';
export { verifyProposal } from './query/plan/verify-context.ts';
export { probeOrigin } from './query/provenance/call-origin.ts';
export { hasReadUntrusted } from './query/provenance/inputs.ts';
export { currentPlanStep } from './query/rollback/made-effects.ts';
export { isUndoCall } from './query/rollback/undo-calls.ts';
export { runCost } from './query/run-cost.ts';
export { assocGet, assocValues } from './state/assoc.ts';
export { type MadeEffect, movesMade } from './state/call-state.ts';
export { elapsedMs, isRollingBack } from './state/lifecycle.ts';
export type { OpenGate, OpenQuestion } from './state/people-state.ts';
export type { OpenLane, Pause, RunState } from './state/run-state.ts';
export { vecGet, vecToArray } from './state/vec.ts';
export { initialState } from './transition/initial-state.ts';
export type { CompileSchema } from './verify/compile-schema.ts';
export { unfitDefaults } from './verify/fit/fill-defaults.ts';
export { schemaAt } from './verify/fit/locate.ts';
export { outputCheck } from './verify/output.ts';
export { type ToolTable, toolTable } from './verify/tool-table.ts';
