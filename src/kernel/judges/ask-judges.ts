import type { PlanStep } from '../../model/plan.ts';
import type { Scores } from '../../model/verdict.ts';
import { type BudgetRefusal, reserve } from '../budget.ts';
import { raise } from '../closing.ts';
import type { KernelEnv } from '../env.ts';
import { launch } from '../flight.ts';
import { impossible, NOTHING, type Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { askEffect, type Panel } from './panel.ts';
import { panelNeed, panelOnRun, panelOnStep, saferPanel } from './panels.ts';

/** Puts a step before the judges that look at its tool, and then before the Critic. */
export function judgeStep(env: KernelEnv, state: RunState, step: PlanStep): Reaction {
  if (hasNoJudges(env)) return askCritic(state, step.id);
  return ask(env, state, panelOnStep(env, state.intake.risk, step));
}

const hasNoJudges = ({ judges }: KernelEnv): boolean => judges === undefined || judges.length === 0;

/** What those who judge a step would need more than there is; null where they can be asked. What they could not judge is not done. */
export function unjudgeable(env: KernelEnv, state: RunState, step: PlanStep): BudgetRefusal | null {
  if (hasNoJudges(env) || state.budget === null) return null;
  const reserved = reserve(state.budget, panelNeed(env, panelOnStep(env, state.intake.risk, step)), 'critic');
  return reserved.ok ? null : reserved;
}

/** Puts the run as a whole before the judges that look at runs, with what of its goal only a reader can find met. */
export function judgeRun(env: KernelEnv, state: RunState): Reaction {
  return ask(env, state, panelOnRun(env, state.intake));
}

/**
 * A score of the judges that nobody can rely on goes to stronger or stricter ones, where there are some and the budget
 * has room for them. Once a case: whoever takes over is not appealed against. Null where the first judgement stands.
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

function ask(env: KernelEnv, state: RunState, panel: Panel): Reaction {
  if (panel.asked.length === 0) return askCritic(state, panel.about);
  if (state.budget === null) throw impossible('judges before the run has a budget', state);
  const reserved = reserve(state.budget, panelNeed(env, panel), 'critic');
  if (!reserved.ok) return unjudged(state, reserved);
  return launch({ ...state, budget: reserved.budget, panel }, 'judges', askEffect(panel));
}

/** Where no judge has to be heard first. */
function askCritic(state: RunState, about: Panel['about']): Reaction {
  const next: RunState = state.panel === null ? state : { ...state, panel: null };
  return [next, [about === null ? { kind: 'judge_run' } : { kind: 'judge_step', step_id: about }]];
}

/** Work that cannot be judged as it was to be judged is not gone on with, by nobody. */
function unjudged(state: RunState, { dimension, needed, left, role }: BudgetRefusal): Reaction {
  const detail = { dimension, needed, left, for: 'judges', ...(role === undefined ? {} : { role }) };
  return [raise(state, { code: 'BUDGET_EXHAUSTED', reason: 'budget_exhausted', detail }), NOTHING];
}
