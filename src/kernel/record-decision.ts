import type { DecisionRecord } from '../model/decision.ts';
import type { Stop } from '../model/stop.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { VerdictEnvelope } from '../model/verdict.ts';
import { effectsLeft } from './rollback/made-effects.ts';
import type { RunState } from './state.ts';
import { vecToArray } from './vec.ts';

/** Everything that bounded this run. Not a setting: each of these is part of the loop itself. */
const CONTROLS_ACTIVE: readonly string[] = Object.freeze([
  'plan_verification',
  'tool_allow_list',
  'approval_gates',
  'budget_vector',
  'loop_guard',
  'observation_grounding',
  'compiled_graph',
]);

/** What the run decided, derived from its state alone. */
export function recordDecision(state: RunState, stop: Stop): DecisionRecord {
  const active = state.planning.active;
  // A later plan, or a later step of a run that decides step by step, need not name again what was decided before it.
  const decision = active?.plan.decision_checkpoints.at(-1)?.decision_id ?? state.work.decided.at(-1);
  return {
    decision_id: decision ?? state.intake.intent ?? state.intake.goal?.intent ?? 'unclassified',
    run_id: state.id.runId,
    plan_id: active?.plan.plan_id ?? null,
    outcome: isSuccess(stop.code) ? 'accept' : 'escalate',
    terminal_code: stop.code,
    evidence_refs: takenOver(state.work),
    approvals: state.people.approvals,
    controls_active: CONTROLS_ACTIVE,
    ...(state.manifest === null ? {} : { boundary_version: state.manifest.autonomy_boundary_version }),
    ...listed(state, stop),
    ...(state.work.degraded === undefined ? {} : { degraded: state.work.degraded }),
    ...(state.work.lanes === undefined ? {} : { lanes: state.work.lanes }),
    trace_id: state.id.traceId,
  };
}

/** Everything that was committed, without what lanes brought and the Critic did not accept. */
function takenOver({ evidence, dropped }: RunState['work']): readonly string[] {
  const all = vecToArray(evidence);
  return dropped === undefined ? all : all.filter((id) => !dropped.includes(id));
}

/** What a run that did not end well has left behind in the world. */
function listed(state: RunState, { code }: Stop): Pick<DecisionRecord, 'effects' | 'rollback_spent'> {
  const effects = isSuccess(code) ? [] : effectsLeft(state);
  if (effects.length === 0) return {};
  const { rollback } = state.ending;
  return rollback === undefined ? { effects } : { effects, rollback_spent: rollback.spent };
}

/** A run that ended any other way was, in the end, handed to somebody. */
const isSuccess = (code: TerminalCode): boolean => code === 'SUCCESS' || code === 'PARTIAL_SUCCESS';

/** The Critic's verdict on the run so far. */
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
