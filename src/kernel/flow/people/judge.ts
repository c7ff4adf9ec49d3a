import type { Finding, FindingKind, Scores } from '../../../model/critic/verdict.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { type BudgetRefusal, reserve } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { panelNeed, panelOnRun, panelOnStep, saferPanel } from '../../query/critic-input/panels.ts';
import { markCompromised } from '../../query/rollback/made-effects.ts';
import { askEffect, type Panel } from '../../state/judge-panel.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { launch, NO_EFFECTS, type Reaction, raise } from '../../transition/reaction.ts';
import { escalateRun } from './escalate.ts';

/** Sends a step to the judges of its tool, then to the critic. */
export function requestStepJudgement(env: KernelEnv, state: RunState, step: PlanStep): Reaction {
  if (hasNoJudges(env)) return askCritic(state, step.id);
  return askJudges(env, state, panelOnStep(env, state.intake.risk, step));
}

const hasNoJudges = ({ judges }: KernelEnv): boolean => judges === undefined || judges.length === 0;

/** The budget shortage that prevents judging the step, or null. A step that cannot be judged does not run. */
export function judgeShortage(env: KernelEnv, state: RunState, step: PlanStep): BudgetRefusal | null {
  if (hasNoJudges(env) || state.budget === null) return null;
  const reserved = reserve(state.budget, panelNeed(env, panelOnStep(env, state.intake.risk, step)), 'critic');
  return reserved.ok ? null : reserved;
}

/** Sends the run to its judges, with the criteria that have no evidence type. */
export function requestRunJudgement(env: KernelEnv, state: RunState): Reaction {
  return askJudges(env, state, panelOnRun(env, state.intake));
}

/**
 * Asks the safer panel if the judges' score is below the confidence limit and the budget allows it, once per case. Null
 * if the first judgement stands.
 */
export function secondOpinion(env: KernelEnv, state: RunState, scores: Scores): Reaction | null {
  const { panel, budget } = state;
  if (panel === null || panel.safer || panel.answers === null || budget === null) return null;
  const score = Object.hasOwn(scores, 'judges') ? (scores['judges'] ?? 0) : 1;
  if (score >= env.rubric.confidence) return null;
  const safer = saferPanel(env, panel);
  if (safer === null) return null;
  const reserved = reserve(budget, panelNeed(env, safer), 'critic');
  if (!reserved.ok) return null;
  return launch({ ...state, budget: reserved.budget, panel: safer }, 'judges', askEffect(safer));
}

function askJudges(env: KernelEnv, state: RunState, panel: Panel): Reaction {
  if (panel.asked.length === 0) return askCritic(state, panel.about);
  if (state.budget === null) throw impossibleEvent('judges before the run has a budget', state);
  const reserved = reserve(state.budget, panelNeed(env, panel), 'critic');
  if (!reserved.ok) return endUnjudged(state, reserved);
  return launch({ ...state, budget: reserved.budget, panel }, 'judges', askEffect(panel));
}

function askCritic(state: RunState, about: Panel['about']): Reaction {
  const next: RunState = state.panel === null ? state : { ...state, panel: null };
  return [next, [about === null ? { kind: 'judge_run' } : { kind: 'judge_step', step_id: about }]];
}

/** Ends the run if its judges exceed the budget. */
function endUnjudged(state: RunState, { dimension, needed, left, role }: BudgetRefusal): Reaction {
  const detail = { dimension, needed, left, for: 'judges', ...(role === undefined ? {} : { role }) };
  return [raise(state, { code: 'BUDGET_EXHAUSTED', reason: 'budget_exhausted', detail }), NO_EFFECTS];
}

/**
 * Handles findings that no score outweighs. An unsafe finding ends the run and alerts security. A divergence from the
 * goal is escalated, because a model must not judge it itself. Null if there is none.
 */
export function handleSevereFinding(
  env: KernelEnv,
  state: RunState,
  findings: readonly Finding[],
  stepId: string | null,
): Reaction | null {
  if (findings.length === 0) return null;
  const unsafe = severe(findings, 'unsafe');
  if (unsafe.length > 0) {
    const detail = { step_id: stepId, findings: unsafe };
    const stop = { code: 'UNSAFE_DETECTION', reason: 'unsafe_finding', detail } as const;
    const confirmed = findings.find((finding) => finding.kind === 'unsafe' && finding.compromised === true);
    return escalateRun(
      env,
      state,
      'security_breach',
      confirmed === undefined ? stop : markCompromised(stop, confirmed.detail),
    );
  }
  const drift = severe(findings, 'goal_divergence');
  if (drift.length === 0) return null;
  const plan_id = state.planning.active?.plan.plan_id ?? null;
  const detail = { step_id: stepId, goal: state.intake.goal?.statement ?? '', plan_id, drift };
  return escalateRun(env, state, 'plan_divergence', { code: 'REVIEW_REQUIRED', reason: 'goal_divergence', detail });
}

const severe = (findings: readonly Finding[], kind: FindingKind): readonly string[] =>
  findings.filter((finding) => finding.kind === kind && finding.severity === 'high').map(({ detail }) => detail);
