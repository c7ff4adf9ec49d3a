import { Fault } from '../model/fault.ts';
import { Finding } from '../model/finding.ts';
import { deepFreeze } from '../model/freeze.ts';
import { printable } from '../model/printable.ts';
import type { Rubric } from '../model/rubric.ts';
import { type Scores, STEP_VERDICTS, StepVerdict, stricterVerdict } from '../model/verdict.ts';
import { FULL } from './assessment.ts';
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
  readonly scores: Scores;
  readonly criteria: readonly CriterionResult[];
  readonly findings: readonly Finding[];
  /** The strictest that an evaluator wants; absent where none wants anything. */
  readonly verdict?: StepVerdict;
}

/** Those that judge this kind of case, and those that judge only another. */
interface Bench<C> {
  readonly own: ReadonlyMap<string, Evaluator<C>>;
  readonly other: ReadonlyMap<string, unknown>;
}

/**
 * Asks every evaluator of the rubric that can judge this kind of case. An evaluator that is missing, throws or
 * answers with something that is not a score fails the whole judgement: what was not judged is not accepted.
 */
export function tally<C>(rubric: Rubric, bench: Bench<C>, c: C): Tally {
  const { asked, flawless } = rosterOf(rubric, bench);
  const assessments = asked.map((each) => ask(rubric, each, c));
  return assessments.every(isFull) ? flawless : addUp(rubric, asked, assessments);
}

const isFull = (assessment: Assessment): boolean => assessment === FULL;

interface Asked<C> {
  readonly id: string;
  /** Undefined for one that does not exist. */
  readonly evaluator: Evaluator<C> | undefined;
}

/** Who is asked, and what comes out where nobody has anything to say against the case. */
interface Roster<C> {
  readonly rubric: Rubric;
  readonly asked: readonly Asked<C>[];
  readonly flawless: Tally;
}

/** A run is judged by one rubric from its first step to its last, and a table of evaluators never changes. */
const rosters: WeakMap<ReadonlyMap<string, unknown>, Roster<never>> = new WeakMap();

function rosterOf<C>(rubric: Rubric, bench: Bench<C>): Roster<C> {
  const known = rosters.get(bench.own) as Roster<C> | undefined;
  if (known?.rubric === rubric) return known;
  const asked = rubric.evaluators.flatMap((id): readonly Asked<C>[] => {
    const evaluator = bench.own.get(id);
    return evaluator === undefined && bench.other.has(id) ? [] : [{ id, evaluator }];
  });
  const full = asked.map(() => FULL);
  const roster: Roster<C> = { rubric, asked, flawless: deepFreeze(addUp(rubric, asked, full)) };
  rosters.set(bench.own, roster as Roster<never>);
  return roster;
}

function addUp<C>(rubric: Rubric, asked: readonly Asked<C>[], assessments: readonly Assessment[]): Tally {
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
    throw new Fault('evaluator_failed', `evaluator ${id} failed: ${reasonOf(cause)}`, { cause });
  }
  if (assessment === FULL) return FULL;
  const { score, verdict, findings, note }: Partial<Assessment> = assessment ?? {};
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    const said = typeof score === 'number' ? score : `a value of type ${typeof score}`;
    throw new Fault('evaluator_failed', `evaluator ${id} answered ${said}, which is no score between 0 and 1`);
  }
  if (verdict !== undefined && !StepVerdict.safeParse(verdict).success) {
    const said = printable(JSON.stringify(verdict) ?? 'nothing');
    throw new Fault('verdict_invalid', `evaluator ${id} wants ${said}; there are ${STEP_VERDICTS.join(', ')}`);
  }
  if (findings !== undefined && !areFindings(findings)) {
    throw new Fault('evaluator_failed', `evaluator ${id} found something that is not a finding`);
  }
  // As it was when it was looked at: an evaluator may answer with one and the same object, and fill it anew.
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

/** Four decimals are enough to compare runs by; down, because rounding must not lift a score over a threshold. */
function roundDown(score: number): number {
  return Math.floor(score * 10_000 + 1e-9) / 10_000 + 0;
}
