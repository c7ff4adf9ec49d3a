import { Fault } from '../model/fault.ts';
import { Finding } from '../model/finding.ts';
import { printable } from '../model/printable.ts';
import type { Rubric } from '../model/rubric.ts';
import { STEP_VERDICTS, StepVerdict, stricterVerdict } from '../model/verdict.ts';
import type { Assessment, Evaluator } from './evaluator.ts';
import { scoreName } from './evaluator-table.ts';
import { reasonOf } from './reason-of.ts';

/** One line of the score card. */
export interface CriterionResult {
  /** `name@version` of the evaluator, or the id of a declared criterion. */
  readonly criterion: string;
  readonly score: number;
  readonly met: boolean;
  readonly note?: string;
}

export interface Tally {
  readonly scores: Record<string, number>;
  readonly criteria: CriterionResult[];
  readonly findings: Finding[];
  /** The strictest that an evaluator wants; absent where none wants anything. */
  readonly verdict?: StepVerdict;
}

/**
 * Asks every evaluator of the rubric that can judge this kind of case. An evaluator that is missing, throws or
 * answers with something that is not a score fails the whole judgement: what was not judged is not accepted.
 */
export function tally<C>(
  rubric: Rubric,
  evaluators: { readonly own: ReadonlyMap<string, Evaluator<C>>; readonly other: ReadonlyMap<string, unknown> },
  c: C,
): Tally {
  const scores: Record<string, number> = {};
  const criteria: CriterionResult[] = [];
  const findings: Finding[] = [];
  let verdict: StepVerdict | undefined;
  for (const id of rubric.evaluators) {
    const evaluator = evaluators.own.get(id);
    if (evaluator === undefined) {
      if (evaluators.other.has(id)) continue;
      throw new Fault('evaluator_failed', `rubric ${rubric.name}@${rubric.version} names ${id}, which does not exist`);
    }
    const assessment = ask(id, evaluator, c);
    const name = scoreName(evaluator);
    scores[name] = (Object.hasOwn(scores, name) ? (scores[name] ?? 0) : 1) * assessment.score;
    criteria.push(line(rubric, id, name, assessment));
    if (assessment.verdict !== undefined) verdict = stricterVerdict(assessment.verdict, verdict ?? 'accept');
    if (assessment.findings !== undefined) findings.push(...assessment.findings);
  }
  for (const name of Object.keys(scores)) scores[name] = roundDown(scores[name] ?? 0);
  return verdict === undefined ? { scores, criteria, findings } : { scores, criteria, findings, verdict };
}

function ask<C>(id: string, evaluator: Evaluator<C>, c: C): Assessment {
  let assessment: Assessment;
  try {
    assessment = evaluator.assess(c);
  } catch (cause) {
    throw new Fault('evaluator_failed', `evaluator ${id} failed: ${reasonOf(cause)}`, { cause });
  }
  const score: unknown = assessment?.score;
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    const said = typeof score === 'number' ? score : `a value of type ${typeof score}`;
    throw new Fault('evaluator_failed', `evaluator ${id} answered ${said}, which is no score between 0 and 1`);
  }
  if (assessment.verdict !== undefined && !StepVerdict.safeParse(assessment.verdict).success) {
    const said = printable(JSON.stringify(assessment.verdict) ?? 'nothing');
    throw new Fault('verdict_invalid', `evaluator ${id} wants ${said}; there are ${STEP_VERDICTS.join(', ')}`);
  }
  if (assessment.findings !== undefined && !areFindings(assessment.findings)) {
    throw new Fault('evaluator_failed', `evaluator ${id} found something that is not a finding`);
  }
  return assessment;
}

function areFindings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => Finding.safeParse(item).success);
}

function line(rubric: Rubric, criterion: string, name: string, { score, note }: Assessment): CriterionResult {
  const met = score >= (Object.hasOwn(rubric.floors, name) ? (rubric.floors[name] ?? 1) : rubric.accept);
  return note === undefined ? { criterion, score, met } : { criterion, score, met, note };
}

/** Four decimals are enough to compare runs by; down, because rounding must not lift a score over a threshold. */
function roundDown(score: number): number {
  return Math.floor(score * 10_000 + 1e-9) / 10_000 + 0;
}
