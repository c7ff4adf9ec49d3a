import { type AskedJudge, type JudgeSpec, judgeId } from '../../../model/critic/judge.ts';
import { type AcceptanceCriterion, isMetByAnswer } from '../../../model/plan/goal.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import { atLeast, type RiskClass } from '../../../model/policy/risk.ts';
import { addCost, NO_COST, type ToolCost } from '../../../model/tool/tool.ts';
import type { Need } from '../../budget/budget.ts';
import type { KernelEnv } from '../../env.ts';
import type { Panel } from '../../state/judge-panel.ts';
import type { IntakeState } from '../../state/run-state.ts';

/** The judges for a step of this tool, with their criteria. */
export function panelOnStep(env: KernelEnv, risk: RiskClass, step: PlanStep): Panel {
  const specs = selectJudges(env, risk, ({ applies: { tools } }) => tools === 'all' || tools.includes(step.tool));
  const expected = step.success_criteria === undefined ? [] : ['step.success_criteria'];
  return { about: step.id, asked: withCriteria(specs, expected), safer: false, answers: null };
}

/** The judges of the run, with the acceptance criteria that have no evidence type. */
export function panelOnRun(env: KernelEnv, { risk, goal }: Pick<IntakeState, 'risk' | 'goal'>): Panel {
  const specs = selectJudges(env, risk, ({ applies: { run } }) => run);
  const openCriteria = goal?.acceptance_criteria.flatMap(nameCriterion) ?? [];
  return { about: null, asked: withCriteria(specs, openCriteria), safer: false, answers: null };
}

/** The judges of a panel that have a safer variant. Null if none has. */
export function saferPanel(env: KernelEnv, { about, asked }: Panel): Panel | null {
  const safer = asked.filter(({ judge }) => specOf(env, judge)?.safer_cost != null);
  return safer.length === 0 ? null : { about, asked: safer, safer: true, answers: null };
}

/** Criteria are named by index, because their own ids may not be usable as answer keys for a model. */
const nameCriterion = (criterion: AcceptanceCriterion, place: number): readonly string[] =>
  criterion.evidence === undefined && !isMetByAnswer(criterion) ? [`goal.${place}`] : [];

function selectJudges(
  env: KernelEnv,
  risk: RiskClass,
  isApplicable: (spec: JudgeSpec) => boolean,
): readonly JudgeSpec[] {
  const { judges = [] } = env;
  return judges.filter((spec) => atLeast(risk, spec.applies.risk_min) && isApplicable(spec));
}

/** Judges without criteria are left out. */
function withCriteria(specs: readonly JudgeSpec[], more: readonly string[]): readonly AskedJudge[] {
  return specs
    .map((spec) => ({ judge: judgeId(spec), criteria: [...Object.keys(spec.criteria), ...more] }))
    .filter(({ criteria }) => criteria.length > 0);
}

const specOf = ({ judges = [] }: KernelEnv, id: string): JudgeSpec | undefined =>
  judges.find((spec) => judgeId(spec) === id);

/** The maximum cost of the panel. */
export function panelNeed(env: KernelEnv, panel: Panel): Need {
  const { input_tokens, output_tokens, microusd } = panelCost(env, panel);
  return { input_tokens, output_tokens, cost_microusd: microusd };
}

function panelCost(env: KernelEnv, { asked, safer }: Panel): ToolCost {
  return asked.reduce((sum, { judge }) => addCost(sum, costOf(specOf(env, judge), safer)), NO_COST);
}

/** The maximum cost of the panel and of its safer variant. */
export function panelsCost(env: KernelEnv, panel: Panel): ToolCost {
  const safer = saferPanel(env, panel);
  const first = panelCost(env, panel);
  return safer === null ? first : addCost(first, panelCost(env, safer));
}

const costOf = (spec: JudgeSpec | undefined, safer: boolean): ToolCost =>
  (safer ? spec?.safer_cost : spec?.cost) ?? NO_COST;
