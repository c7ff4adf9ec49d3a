import type { PanelCase } from '../model/critic/judge.ts';
import type { Criterion, EvidenceByType, RunCase, StepCase } from '../model/critic/judged-case.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import type { Finding, Scores, StepScore, StepVerdict } from '../model/critic/verdict.ts';
import { Fault } from '../model/fault/fault.ts';
import { type EvaluatorTable, finding } from './evaluators/evaluator.ts';
import { GOAL_PREFIX, type Opinion } from './judges/opinion.ts';
import { quorumOf, ruleOnPanel, tooFarApart } from './judges/panel.ts';
import { type CriterionOutcome, type CriterionResult, checkCriterion, type ScoreTally, tally } from './tally.ts';

const NOTHING: EvidenceByType = Object.freeze({});

/**
 * Evidence for goal criteria without an evidence type that the judges find met: a quorum answered, the scores are
 * within the allowed spread and none is below the acceptance threshold. The evidence is the response of the first
 * judge.
 */
export function shownByJudges(
  rubric: Rubric,
  criteria: readonly Criterion[],
  panel: PanelCase | undefined,
): EvidenceByType {
  if (panel === undefined || rubric.judges === undefined) return NOTHING;
  const { judges: rule, accept } = rubric;
  const { opinions } = ruleOnPanel({ ...rule, accept }, panel);
  const ids = new Set(panel.asked.flatMap((asked) => asked.criteria.filter((id) => id.startsWith(GOAL_PREFIX))));
  const shown: [string, string][] = [];
  for (const id of ids) {
    const asked = panel.asked.filter((judge) => judge.criteria.includes(id)).length;
    const [first, ...others] = opinions.filter((opinion) => opinion.criteria.has(id));
    if (first === undefined || 1 + others.length < quorumOf(rule, asked)) continue;
    const scores = [first, ...others].map((opinion) => scoreOf(opinion, id));
    if (Math.min(...scores) < accept || tooFarApart(rule, scores)) continue;
    const criterion = criteria[Number(id.slice(GOAL_PREFIX.length))];
    if (criterion !== undefined) shown.push([criterion.id, first.response ?? first.judge]);
  }
  return shown.length === 0 ? NOTHING : Object.fromEntries(shown);
}

const scoreOf = ({ criteria }: Opinion, id: string): number => criteria.get(id) ?? 0;

/** The Critic's judgement of a step. It contains no final verdict: the kernel derives that from the scores. */
interface StepJudgement {
  readonly scores: Scores;
  /** The score card: the result of every evaluator, then of every declared criterion, then of every judge. */
  readonly criteria: readonly CriterionResult[];
  readonly findings: readonly Finding[];
  /** The strictest verdict that an evaluator asks for; absent if none asks. */
  readonly verdict?: StepVerdict;
}

interface RunJudgement extends StepJudgement {
  /** The goal's acceptance criteria, each with the evidence that shows it. */
  readonly acceptance: readonly CriterionOutcome[];
  /** Ids of the criteria without evidence, including secondary ones. */
  readonly unmet: readonly string[];
}

export function scoreStep(rubric: Rubric, evaluators: EvaluatorTable, c: StepCase): StepJudgement {
  const result = tally(rubric, { own: evaluators.step, other: evaluators.run }, c);
  const carded = withLines(result, declaredLines(c), panelLines(rubric, c.panel));
  return c.outcome === 'ok' && c.problems.length === 0 ? withDoubt(rubric, carded) : carded;
}

export function scoreRun(rubric: Rubric, evaluators: EvaluatorTable, runScores: RunCase): RunJudgement {
  const shown = shownByJudges(rubric, runScores.criteria, runScores.panel);
  const c = runScores.panel === undefined ? runScores : { ...runScores, evidence: { ...shown, ...runScores.evidence } };
  const asked = tally(rubric, { own: evaluators.run, other: evaluators.step }, c);
  const carded = withLines(asked, NO_LINES, panelLines(rubric, c.panel));
  const result = { ...carded, scores: withFloors(rubric, carded.scores, c.steps) };
  const acceptance = c.criteria.map((criterion) => checkCriterion(criterion, c.evidence));
  const unmet = acceptance.filter(({ evidence }) => evidence === null).map(({ id }) => id);
  const primary = new Set(c.criteria.filter(({ rank }) => rank === 'primary').map(({ id }) => id));
  const doubted = unmet.some((id) => primary.has(id)) ? result : withDoubt(rubric, result);
  return { ...doubted, acceptance, unmet };
}

const NO_LINES: readonly CriterionResult[] = Object.freeze([]);

/** Score card lines for the criteria that the step declares. */
function declaredLines({ support }: StepCase): readonly CriterionResult[] {
  if (support.criteria.length === 0) return NO_LINES;
  return support.criteria.map((criterion) => {
    const met = checkCriterion(criterion, support.evidence.known).evidence !== null;
    return { criterion: criterion.id, score: met ? 1 : 0, met };
  });
}

/** Score card lines for the individual judges; their joint score is the `judges` evaluator's line. */
function panelLines({ accept, judges }: Rubric, panel: PanelCase | undefined): readonly CriterionResult[] {
  if (panel === undefined || judges === undefined) return NO_LINES;
  const { opinions } = ruleOnPanel({ ...judges, accept }, panel);
  return opinions.map(({ judge, score }) => ({ criterion: judge, score, met: score >= accept }));
}

function withLines(
  result: ScoreTally,
  declared: readonly CriterionResult[],
  panel: readonly CriterionResult[],
): ScoreTally {
  if (declared.length === 0 && panel.length === 0) return result;
  return { ...result, criteria: [...result.criteria, ...declared, ...panel] };
}

function withFloors({ floors }: Rubric, runScores: Scores, steps: readonly StepScore[]): Scores {
  const scores = { ...runScores };
  for (const name of Object.keys(floors)) {
    scores[name] = lowest(name, Object.hasOwn(scores, name) ? scores[name] : undefined, steps);
  }
  return scores;
}

/** The lowest score of the run and its steps: one step breaks a floor for the run. A missing score counts as 0. */
function lowest(name: string, own: number | undefined, steps: readonly StepScore[]): number {
  if (own === undefined && steps.length === 0)
    throw new Fault('evaluator_failed', `nothing scored ${name}, which has a floor`);
  let score = own ?? 1;
  for (const { scores } of steps) score = Math.min(score, Object.hasOwn(scores, name) ? (scores[name] ?? 0) : 0);
  return score;
}

/**
 * Adds a finding for each score that is below the confidence threshold for no known reason: broken floors, other
 * findings, failed calls and unfinished goals have rules of their own.
 */
function withDoubt(rubric: Rubric, result: ScoreTally): ScoreTally {
  if (result.findings.length > 0) return result;
  const { scores } = result;
  let findings: readonly Finding[] = result.findings;
  for (const name in scores) {
    const score = scores[name] ?? 0;
    if (score >= rubric.confidence || Object.hasOwn(rubric.floors, name)) continue;
    findings = [...findings, finding('low_confidence', 'high', `${name} is ${score}, below ${rubric.confidence}`)];
  }
  return findings === result.findings ? result : { ...result, findings };
}
