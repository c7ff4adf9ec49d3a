import type { AcceptanceCriterion } from '../../model/goal.ts';
import { type AskedJudge, type JudgeSpec, judgeId } from '../../model/judge.ts';
import type { PlanStep } from '../../model/plan.ts';
import { atLeast, type RiskClass } from '../../model/risk.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool.ts';
import type { Need } from '../budget.ts';
import type { KernelEnv } from '../env.ts';
import type { IntakeState } from '../state.ts';
import type { Panel } from './panel.ts';

/** Those who look at steps of this tool, and what they are asked about this one. */
export function panelOnStep(env: KernelEnv, risk: RiskClass, step: PlanStep): Panel {
  const asked = askedAbout(env, risk, ({ applies: { tools } }) => tools === 'all' || tools.includes(step.tool));
  const expected = step.success_criteria === undefined ? [] : ['step.success_criteria'];
  return { about: step.id, asked: withCriteria(asked, expected), safer: false, answers: null };
}

/** Those who look at runs as a whole, with what of the goal only a reader can find met. */
export function panelOnRun(env: KernelEnv, { risk, goal }: Pick<IntakeState, 'risk' | 'goal'>): Panel {
  const asked = askedAbout(env, risk, ({ applies: { run } }) => run);
  const open = goal?.acceptance_criteria.flatMap(placeForReaders) ?? [];
  return { about: null, asked: withCriteria(asked, open), safer: false, answers: null };
}

/** The stronger or stricter ones of a panel; null where it has none. */
export function saferPanel(env: KernelEnv, { about, asked }: Panel): Panel | null {
  const safer = asked.filter(({ judge }) => specOf(env, judge)?.safer_cost != null);
  return safer.length === 0 ? null : { about, asked: safer, safer: true, answers: null };
}

/** By its place: what people name a criterion is not always something that a model can be asked to answer under. */
const placeForReaders = ({ evidence }: AcceptanceCriterion, place: number): readonly string[] =>
  evidence === undefined ? [`goal.${place}`] : [];

function askedAbout(env: KernelEnv, risk: RiskClass, looksAt: (spec: JudgeSpec) => boolean): readonly JudgeSpec[] {
  const { judges = [] } = env;
  return judges.filter((spec) => atLeast(risk, spec.applies.risk_min) && looksAt(spec));
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
export function panelNeed(env: KernelEnv, panel: Panel): Need {
  const { input_tokens, output_tokens, microusd } = panelCost(env, panel);
  return { input_tokens, output_tokens, cost_microusd: microusd };
}

function panelCost(env: KernelEnv, { asked, safer }: Panel): ToolCost {
  return asked.reduce((sum, { judge }) => addCost(sum, costOf(specOf(env, judge), safer)), NO_COST);
}

/** The same, with those who take over where nobody can rely on what the first say. */
export function panelsCost(env: KernelEnv, panel: Panel): ToolCost {
  const safer = saferPanel(env, panel);
  const first = panelCost(env, panel);
  return safer === null ? first : addCost(first, panelCost(env, safer));
}

const costOf = (spec: JudgeSpec | undefined, safer: boolean): ToolCost =>
  (safer ? spec?.safer_cost : spec?.cost) ?? NO_COST;
