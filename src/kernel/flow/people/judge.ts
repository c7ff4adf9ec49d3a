import type { Scores } from '../../../model/critic/verdict.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { type BudgetRefusal, reserve } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import { panelNeed, panelOnRun, panelOnStep, saferPanel } from '../../query/critic-input/panels.ts';
import { impossibleEvent } from '../../state/impossible.ts';
import { askEffect, type Panel } from '../../state/judge-panel.ts';
import type { RunState } from '../../state/run-state.ts';
import { launch } from '../../transition/in-flight.ts';
import { NO_EFFECTS, type Reaction } from '../../transition/reaction.ts';
import { raise } from '../../transition/stop.ts';

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
