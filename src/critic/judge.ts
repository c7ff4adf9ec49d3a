import { Fault } from '../model/fault.ts';
import type { Finding } from '../model/finding.ts';
import type { PanelCase } from '../model/judge.ts';
import type { Rubric } from '../model/rubric.ts';
import type { Scores, StepScore, StepVerdict } from '../model/verdict.ts';
import { finding } from './assessment.ts';
import { type CriterionOutcome, checkCriterion } from './criteria.ts';
import type { RunCase, StepCase } from './evaluator.ts';
import type { EvaluatorTable } from './evaluator-table.ts';
import { ruleOnPanel } from './judges/rule-on-panel.ts';
import { shownByJudges } from './judges/shown-by-judges.ts';
import { type CriterionResult, type Tally, tally } from './tally.ts';

/** What the Critic thinks of a step. The verdict is not here: the kernel derives it from the scores. */
export interface StepJudgement {
  readonly scores: Scores;
  /** The score card: every evaluator's result, then every declared criterion's. */
  readonly criteria: readonly CriterionResult[];
  readonly findings: readonly Finding[];
  /** What an evaluator wants done at least; absent where none wants anything. */
  readonly verdict?: StepVerdict;
}

export interface RunJudgement extends StepJudgement {
  /** The goal's acceptance criteria, each with the evidence that shows it. */
  readonly acceptance: readonly CriterionOutcome[];
  /** Ids of those that nothing shows, secondary ones included. */
  readonly unmet: readonly string[];
}

export function judgeStep(rubric: Rubric, evaluators: EvaluatorTable, c: StepCase): StepJudgement {
  const result = tally(rubric, { own: evaluators.step, other: evaluators.run }, c);
  for (const criterion of c.support.criteria) {
    const met = checkCriterion(criterion, c.support.evidence.known).evidence !== null;
    result.criteria.push({ criterion: criterion.id, score: met ? 1 : 0, met });
  }
  notePanel(rubric, result, c.panel);
  if (c.outcome === 'ok' && c.problems.length === 0) noteDoubt(rubric, result);
  return result;
}

export function judgeRun(rubric: Rubric, evaluators: EvaluatorTable, given: RunCase): RunJudgement {
  const shown = shownByJudges(rubric, given.criteria, given.panel);
  const c = given.panel === undefined ? given : { ...given, evidence: { ...shown, ...given.evidence } };
  const result = tally(rubric, { own: evaluators.run, other: evaluators.step }, c);
  notePanel(rubric, result, c.panel);
  for (const name of Object.keys(rubric.floors)) {
    result.scores[name] = lowest(name, Object.hasOwn(result.scores, name) ? result.scores[name] : undefined, c.steps);
  }
  const acceptance = c.criteria.map((criterion) => checkCriterion(criterion, c.evidence));
  const unmet = acceptance.filter(({ evidence }) => evidence === null).map(({ id }) => id);
  const primary = new Set(c.criteria.filter(({ rank }) => rank === 'primary').map(({ id }) => id));
  if (!unmet.some((id) => primary.has(id))) noteDoubt(rubric, result);
  return { ...result, acceptance, unmet };
}

/** What each judge gave, beside what they came to together. */
function notePanel(rubric: Rubric, { criteria }: Tally, panel: PanelCase | undefined): void {
  if (panel === undefined || rubric.judges === undefined) return;
  const { accept, judges } = rubric;
  for (const { judge, score } of ruleOnPanel({ ...judges, accept }, panel).opinions) {
    criteria.push({ criterion: judge, score, met: score >= accept });
  }
}

/** What one step broke, the run has broken: a floor is no average. A step that lacks the score counts as broken. */
function lowest(name: string, own: number | undefined, steps: readonly StepScore[]): number {
  if (own === undefined && steps.length === 0)
    throw new Fault('evaluator_failed', `nothing scored ${name}, which has a floor`);
  let score = own ?? 1;
  for (const { scores } of steps) score = Math.min(score, Object.hasOwn(scores, name) ? (scores[name] ?? 0) : 0);
  return score;
}

/**
 * A score too low to be trusted, where nothing else explains it: a broken floor, another finding, a failed call and
 * an unfinished goal each have a rule of their own.
 */
function noteDoubt(rubric: Rubric, { scores, findings }: Tally): void {
  if (findings.length > 0) return;
  for (const name of Object.keys(scores)) {
    const score = scores[name] ?? 0;
    if (Object.hasOwn(rubric.floors, name) || score >= rubric.confidence) continue;
    findings.push(finding('low_confidence', 'high', `${name} is ${score}, below ${rubric.confidence}`));
  }
}
