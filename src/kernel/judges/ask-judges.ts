import type { AcceptanceCriterion } from '../../model/goal.ts';
import { type AskedJudge, type JudgeSpec, judgeId } from '../../model/judge.ts';
import type { PlanStep } from '../../model/plan.ts';
import { atLeast } from '../../model/risk.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool.ts';
import type { Scores } from '../../model/verdict.ts';
import { type BudgetRefusal, type Need, reserve } from '../budget.ts';
import { raise } from '../closing.ts';
import type { KernelEnv } from '../env.ts';
import { launch } from '../flight.ts';
import { impossible, NOTHING, type Reaction } from '../reaction.ts';
import type { RunState } from '../state.ts';
import { askEffect, type Panel } from './panel.ts';

/** Puts a step before the judges that look at its tool, and then before the Critic. */
export function judgeStep(env: KernelEnv, state: RunState, step: PlanStep): Reaction {
  return ask(env, state, panelOn(env, state, step));
}

/** What those who judge a step would need more than there is; null where they can be asked. What they could not judge is not done. */
export function unjudgeable(env: KernelEnv, state: RunState, step: PlanStep): BudgetRefusal | null {
  if (env.judges === undefined || env.judges.length === 0 || state.budget === null) return null;
  const reserved = reserve(state.budget, panelNeed(env, panelOn(env, state, step)), 'critic');
  return reserved.ok ? null : reserved;
}

function panelOn(env: KernelEnv, state: RunState, step: PlanStep): Panel {
  const asked = askedAbout(env, state, ({ applies: { tools } }) => tools === 'all' || tools.includes(step.tool));
  const expected = step.success_criteria === undefined ? [] : ['step.success_criteria'];
  return { about: step.id, asked: withCriteria(asked, expected), safer: false, answers: null };
}

/** Puts the run as a whole before the judges that look at runs, with what of its goal only a reader can find met. */
export function judgeRun(env: KernelEnv, state: RunState): Reaction {
  const asked = askedAbout(env, state, ({ applies: { run } }) => run);
  const goal = state.intake.goal?.acceptance_criteria.flatMap(placeForReaders) ?? [];
  return ask(env, state, { about: null, asked: withCriteria(asked, goal), safer: false, answers: null });
}

/** By its place: what people name a criterion is not always something that a model can be asked to answer under. */
const placeForReaders = ({ evidence }: AcceptanceCriterion, place: number): readonly string[] =>
  evidence === undefined ? [`goal.${place}`] : [];

/**
 * A score of the judges that nobody can rely on goes to stronger or stricter ones, where there are some and the budget
 * has room for them. Once a case: whoever takes over is not appealed against. Null where the first judgement stands.
 */
export function secondOpinion(env: KernelEnv, state: RunState, scores: Scores): Reaction | null {
  const { panel, budget } = state;
  if (panel === null || panel.safer || panel.answers === null || budget === null) return null;
  const score = Object.hasOwn(scores, 'judges') ? (scores['judges'] ?? 0) : 1;
  if (score >= env.rubric.confidence) return null;
  const asked = panel.asked.filter(({ judge }) => specOf(env, judge)?.safer_cost != null);
  if (asked.length === 0) return null;
  const safer: Panel = { about: panel.about, asked, safer: true, answers: null };
  const reserved = reserve(budget, panelNeed(env, safer), 'critic');
  if (!reserved.ok) return null;
  return launch({ ...state, budget: reserved.budget, panel: safer }, 'judges', askEffect(safer));
}

function ask(env: KernelEnv, state: RunState, panel: Panel): Reaction {
  if (panel.asked.length === 0) {
    const next: RunState = state.panel === null ? state : { ...state, panel: null };
    return [next, [panel.about === null ? { kind: 'judge_run' } : { kind: 'judge_step', step_id: panel.about }]];
  }
  if (state.budget === null) throw impossible('judges before the run has a budget', state);
  const reserved = reserve(state.budget, panelNeed(env, panel), 'critic');
  if (!reserved.ok) return unjudged(state, reserved);
  return launch({ ...state, budget: reserved.budget, panel }, 'judges', askEffect(panel));
}

/** Work that cannot be judged as it was to be judged is not gone on with, by nobody. */
function unjudged(state: RunState, { dimension, needed, left, role }: BudgetRefusal): Reaction {
  const detail = { dimension, needed, left, for: 'judges', ...(role === undefined ? {} : { role }) };
  return [raise(state, { code: 'BUDGET_EXHAUSTED', reason: 'budget_exhausted', detail }), NOTHING];
}

function askedAbout(env: KernelEnv, state: RunState, looksAt: (spec: JudgeSpec) => boolean): readonly JudgeSpec[] {
  const { judges = [] } = env;
  return judges.filter((spec) => atLeast(state.intake.risk, spec.applies.risk_min) && looksAt(spec));
}

/** A judge with nothing to look for is not asked. */
function withCriteria(specs: readonly JudgeSpec[], more: readonly string[]): readonly AskedJudge[] {
  return specs
    .map((spec) => ({ judge: judgeId(spec), criteria: [...Object.keys(spec.criteria), ...more] }))
    .filter(({ criteria }) => criteria.length > 0);
}

const specOf = ({ judges = [] }: KernelEnv, id: string): JudgeSpec | undefined =>
  judges.find((spec) => judgeId(spec) === id);

/** The most that everybody who is asked may take together. */
export function panelNeed(env: KernelEnv, { asked, safer }: Panel): Need {
  const cost = asked.reduce((sum, { judge }) => addCost(sum, costOf(specOf(env, judge), safer)), NO_COST);
  return { input_tokens: cost.input_tokens, output_tokens: cost.output_tokens, cost_microusd: cost.microusd };
}

const costOf = (spec: JudgeSpec | undefined, safer: boolean): ToolCost =>
  (safer ? spec?.safer_cost : spec?.cost) ?? NO_COST;
