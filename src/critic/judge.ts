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
  const carded = withLines(result, declaredLines(c), panelLines(rubric, c.panel));
  return c.outcome === 'ok' && c.problems.length === 0 ? withDoubt(rubric, carded) : carded;
}

export function judgeRun(rubric: Rubric, evaluators: EvaluatorTable, given: RunCase): RunJudgement {
  const shown = shownByJudges(rubric, given.criteria, given.panel);
  const c = given.panel === undefined ? given : { ...given, evidence: { ...shown, ...given.evidence } };
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

/** What the step was to show, each with whether it did. */
function declaredLines({ support }: StepCase): readonly CriterionResult[] {
  if (support.criteria.length === 0) return NO_LINES;
  return support.criteria.map((criterion) => {
    const met = checkCriterion(criterion, support.evidence.known).evidence !== null;
    return { criterion: criterion.id, score: met ? 1 : 0, met };
  });
}

/** What each judge gave, beside what they came to together. */
function panelLines({ accept, judges }: Rubric, panel: PanelCase | undefined): readonly CriterionResult[] {
  if (panel === undefined || judges === undefined) return NO_LINES;
  const { opinions } = ruleOnPanel({ ...judges, accept }, panel);
  return opinions.map(({ judge, score }) => ({ criterion: judge, score, met: score >= accept }));
}

function withLines(result: Tally, declared: readonly CriterionResult[], panel: readonly CriterionResult[]): Tally {
  if (declared.length === 0 && panel.length === 0) return result;
  return { ...result, criteria: [...result.criteria, ...declared, ...panel] };
}

function withFloors({ floors }: Rubric, given: Scores, steps: readonly StepScore[]): Scores {
  const scores = { ...given };
  for (const name of Object.keys(floors)) {
    scores[name] = lowest(name, Object.hasOwn(scores, name) ? scores[name] : undefined, steps);
  }
  return scores;
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
function withDoubt(rubric: Rubric, result: Tally): Tally {
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
