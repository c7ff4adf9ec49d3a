import type { Criterion, EvidenceByType } from '../model/critic/judged-case.ts';
import type { Rubric } from '../model/critic/rubric.ts';
import { Finding, type Scores, STEP_VERDICTS, StepVerdict, stricterVerdict } from '../model/critic/verdict.ts';
import { Fault } from '../model/fault/fault.ts';
import { deepFreeze } from '../model/json/freeze.ts';
import { printable } from '../model/json/printable.ts';
import { type Assessment, assessmentReason, type Evaluator, FULL, scoreName } from './evaluators/evaluator.ts';

/** One line of the score card. */
export interface CriterionResult {
  /** `name@version` of the evaluator, or the id of a declared criterion. */
  readonly criterion: string;
  readonly score: number;
  readonly met: boolean;
  readonly note?: string;
}

export interface ScoreTally {
  readonly scores: Scores;
  readonly criteria: readonly CriterionResult[];
  readonly findings: readonly Finding[];
  /** The strictest verdict that an evaluator asks for; absent if none asks. */
  readonly verdict?: StepVerdict;
}

/** The evaluators of this kind of case, and the ids of those that only judge the other kind. */
interface EvaluatorSets<C> {
  readonly own: ReadonlyMap<string, Evaluator<C>>;
  readonly other: ReadonlyMap<string, unknown>;
}

/**
 * Runs every evaluator of the rubric that judges this kind of case. A missing evaluator, a throw or an invalid score
 * fails the entire judgement, because an unjudged case must not be accepted.
 */
export function tally<C>(rubric: Rubric, sets: EvaluatorSets<C>, c: C): ScoreTally {
  const { asked, flawless } = rosterOf(rubric, sets);
  const assessments = asked.map((each) => ask(rubric, each, c));
  return assessments.every(isFull) ? flawless : addUp(rubric, asked, assessments);
}

const isFull = (assessment: Assessment): boolean => assessment === FULL;

interface Asked<C> {
  readonly id: string;
  /** Undefined if there is no evaluator with this id. */
  readonly evaluator: Evaluator<C> | undefined;
}

/** The evaluators to run, and the result for a case with full scores only. */
interface Roster<C> {
  readonly rubric: Rubric;
  readonly asked: readonly Asked<C>[];
  readonly flawless: ScoreTally;
}

/** Caches one roster per table: a run is judged by one rubric, and a table of evaluators never changes. */
const rosters: WeakMap<ReadonlyMap<string, unknown>, Roster<never>> = new WeakMap();

function rosterOf<C>(rubric: Rubric, sets: EvaluatorSets<C>): Roster<C> {
  const known = rosters.get(sets.own) as Roster<C> | undefined;
  if (known?.rubric === rubric) return known;
  const asked = rubric.evaluators.flatMap((id): readonly Asked<C>[] => {
    const evaluator = sets.own.get(id);
    return evaluator === undefined && sets.other.has(id) ? [] : [{ id, evaluator }];
  });
  const full = asked.map(() => FULL);
  const roster: Roster<C> = { rubric, asked, flawless: deepFreeze(addUp(rubric, asked, full)) };
  rosters.set(sets.own, roster as Roster<never>);
  return roster;
}

function addUp<C>(rubric: Rubric, asked: readonly Asked<C>[], assessments: readonly Assessment[]): ScoreTally {
  const scores: Record<string, number> = {};
  const criteria: CriterionResult[] = [];
  const findings: Finding[] = [];
  let verdict: StepVerdict | undefined;
  for (const [place, { id, evaluator }] of asked.entries()) {
    const assessment = assessments[place];
    if (assessment === undefined || evaluator === undefined) continue;
    const name = scoreName(evaluator);
    scores[name] = (Object.hasOwn(scores, name) ? (scores[name] ?? 0) : 1) * assessment.score;
    criteria.push(line(rubric, id, name, assessment));
    if (assessment.verdict !== undefined) verdict = stricterVerdict(assessment.verdict, verdict ?? 'accept');
    if (assessment.findings !== undefined) findings.push(...assessment.findings);
  }
  for (const name of Object.keys(scores)) scores[name] = roundDown(scores[name] ?? 0);
  return verdict === undefined ? { scores, criteria, findings } : { scores, criteria, findings, verdict };
}

function ask<C>(rubric: Rubric, { id, evaluator }: Asked<C>, c: C): Assessment {
  if (evaluator === undefined) {
    throw new Fault('evaluator_failed', `rubric ${rubric.name}@${rubric.version} names ${id}, which does not exist`);
  }
  let assessment: Assessment;
  try {
    assessment = evaluator.assess(c);
  } catch (cause) {
    throw new Fault('evaluator_failed', `evaluator ${id} failed: ${assessmentReason(cause)}`, { cause });
  }
  if (assessment === FULL) return FULL;
  const { score, verdict, findings, note }: Partial<Assessment> = assessment ?? {};
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    const shown = typeof score === 'number' ? score : `a value of type ${typeof score}`;
    throw new Fault('evaluator_failed', `evaluator ${id} answered ${shown}, which is no score between 0 and 1`);
  }
  if (verdict !== undefined && !StepVerdict.safeParse(verdict).success) {
    const shown = printable(JSON.stringify(verdict) ?? 'nothing');
    throw new Fault('verdict_invalid', `evaluator ${id} wants ${shown}; there are ${STEP_VERDICTS.join(', ')}`);
  }
  if (findings !== undefined && !areFindings(findings)) {
    throw new Fault('evaluator_failed', `evaluator ${id} found something that is not a finding`);
  }
  // Copies the answer, because an evaluator may reuse and change the object that it returned.
  return {
    score,
    ...(verdict === undefined ? {} : { verdict }),
    ...(findings === undefined ? {} : { findings: [...findings] }),
    ...(note === undefined ? {} : { note }),
  };
}

function areFindings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => Finding.safeParse(item).success);
}

function line(rubric: Rubric, criterion: string, name: string, { score, note }: Assessment): CriterionResult {
  const met = score >= (Object.hasOwn(rubric.floors, name) ? (rubric.floors[name] ?? 1) : rubric.accept);
  return note === undefined ? { criterion, score, met } : { criterion, score, met, note };
}

/** Rounds down to four decimals, so that rounding never lifts a score over a threshold. */
function roundDown(score: number): number {
  return Math.floor(score * 10_000 + 1e-9) / 10_000 + 0;
}

/** A criterion and the evidence that meets it; null if there is none. */
export interface CriterionOutcome {
  readonly id: string;
  readonly evidence: string | null;
}

/**
 * A criterion is met if evidence of its type is committed. A criterion without a type is only met by evidence made for
 * it: the recorded answer of a judge or a person, with the criterion's id as its type.
 */
export function checkCriterion(criterion: Criterion, known: EvidenceByType): CriterionOutcome {
  const type = criterion.evidence ?? criterion.id;
  return { id: criterion.id, evidence: (Object.hasOwn(known, type) ? known[type] : undefined) ?? null };
}

export function unmet(criteria: readonly Criterion[], known: EvidenceByType): readonly string[] {
  return criteria.filter((criterion) => checkCriterion(criterion, known).evidence === null).map(({ id }) => id);
}
