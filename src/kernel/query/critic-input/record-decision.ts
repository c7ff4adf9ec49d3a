import type { DecisionRecord } from '../../../model/critic/decision-record.ts';
import type { VerdictEnvelope } from '../../../model/critic/verdict.ts';
import { isSuccess, type Stop } from '../../../model/fault/terminal-code.ts';
import { idsOf } from '../../../model/run/manifest.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecToArray } from '../../state/vec.ts';
import { effectsLeft } from '../rollback/made-effects.ts';
import { runCost } from '../run-cost.ts';

/** The controls that bound every run. They are part of the loop and cannot be turned off. */
const CONTROLS_ACTIVE: readonly string[] = Object.freeze([
  'plan_verification',
  'tool_allow_list',
  'approval_gates',
  'budget_vector',
  'loop_guard',
  'observation_grounding',
  'compiled_graph',
]);

/** The controls of this run: those of every run, and those that its configuration and its gates added. */
function controlsOf(state: RunState): readonly string[] {
  const { manifest, people } = state;
  if (manifest === null || !hasRule(state, 'controls_listed')) return CONTROLS_ACTIVE;
  const { policy_version, detector_versions, evaluator_versions, guards = [], autonomy_boundary } = manifest;
  const conditions = autonomy_boundary.tools.conditions ?? [];
  const gates = new Set(people.approvals.map(({ gate }) => gate));
  return [
    ...CONTROLS_ACTIVE,
    `policy:${policy_version}`,
    ...idsOf(detector_versions).map((id) => `detector:${id}`),
    ...idsOf(evaluator_versions).map((id) => `evaluator:${id}`),
    ...guards.map((guard) => `guard:${guard}`),
    ...conditions.map(({ condition }) => `condition:${condition}`),
    ...(manifest.output_schema === undefined ? [] : ['output_schema']),
    ...[...gates].map((gate) => `gate:${gate}`),
  ];
}

/** Derives the decision record from the state alone. */
export function recordDecision(state: RunState, stop: Stop): DecisionRecord {
  const active = state.planning.active;
  // A later plan, or a later step of a reactive run, need not repeat an earlier decision.
  const decision = active?.plan.decision_checkpoints.at(-1)?.decision_id ?? state.work.decided.at(-1);
  return {
    decision_id: decision ?? state.intake.intent ?? state.intake.goal?.intent ?? 'unclassified',
    run_id: state.id.runId,
    plan_id: active?.plan.plan_id ?? null,
    outcome: isSuccess(stop.code) ? 'accept' : 'escalate',
    terminal_code: stop.code,
    evidence_refs: acceptedEvidence(state.work),
    approvals: state.people.approvals,
    controls_active: controlsOf(state),
    ...(hasRule(state, 'costs_recorded') ? { cost: runCost(state) } : {}),
    ...(state.manifest === null ? {} : { boundary_version: state.manifest.autonomy_boundary_version }),
    ...remainingEffects(state, stop),
    ...(state.work.degraded === undefined ? {} : { degraded: state.work.degraded }),
    ...(state.work.lanes === undefined ? {} : { lanes: state.work.lanes }),
    trace_id: state.id.traceId,
  };
}

/** The committed evidence without lane results that the critic did not accept. */
function acceptedEvidence({ evidence, dropped }: RunState['work']): readonly string[] {
  const all = vecToArray(evidence);
  return dropped === undefined ? all : all.filter((id) => !dropped.includes(id));
}

/** The effects that a failed run leaves in the world. */
function remainingEffects(state: RunState, { code }: Stop): Pick<DecisionRecord, 'effects' | 'rollback_spent'> {
  const effects = isSuccess(code) ? [] : effectsLeft(state);
  if (effects.length === 0) return {};
  const { rollback } = state.ending;
  return rollback === undefined ? { effects } : { effects, rollback_spent: rollback.spent };
}

export function verdictEnvelope(state: RunState): VerdictEnvelope | null {
  const { ending, planning, work } = state;
  if (planning.active === null || ending.verdict === null) return null;
  const failed = ending.terminal !== null && !isSuccess(ending.terminal.code);
  const envelope = {
    run_id: state.id.runId,
    plan_id: planning.active.plan.plan_id,
    verdict: failed ? 'escalate' : ending.verdict,
    step_scores: vecToArray(work.scores),
    loop_guard_trips: state.guard.trips,
    replan_attempts: planning.replans,
  };
  return ending.runScores === null ? envelope : { ...envelope, run_scores: ending.runScores };
}
