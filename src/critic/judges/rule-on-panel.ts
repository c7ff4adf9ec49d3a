import type { Finding } from '../../model/finding.ts';
import type { PanelCase } from '../../model/judge.ts';
import type { JudgePanel, Rubric } from '../../model/rubric.ts';
import { type StepVerdict, stricterVerdict } from '../../model/verdict.ts';
import { finding } from '../assessment.ts';
import { type Opinion, readOpinion } from './read-opinion.ts';

/** What the judges of one case come to together. */
export interface PanelRuling {
  readonly score: number;
  readonly opinions: readonly Opinion[];
  readonly findings: readonly Finding[];
  /** The strictest that any of them wants; null where none wants anything. */
  readonly verdict: StepVerdict | null;
}

/** By what a panel is ruled on: how many it takes, how far apart they may be, and what is good enough. */
export type PanelRule = Pick<JudgePanel, 'quorum' | 'spread'> & Pick<Rubric, 'accept'>;

/**
 * Nobody is outvoted: the score is the lowest there is. Where too few can be read, or where they are too far apart,
 * there is none to rely on, and the score is 0.
 */
export function ruleOnPanel(rule: PanelRule, { asked, answers }: PanelCase): PanelRuling {
  const opinions = asked.flatMap((judge) => {
    const answer = answers.find((given) => given.judge === judge.judge);
    return (answer === undefined ? null : readOpinion(judge, answer)) ?? [];
  });
  const needed = quorumOf(rule, asked.length);
  if (opinions.length < needed) {
    const detail = `${opinions.length} of ${asked.length} judges gave an answer that can be read, and it takes ${needed}`;
    return { score: 0, opinions, findings: [finding('low_confidence', 'high', detail)], verdict: null };
  }
  const scores = opinions.map(({ score }) => score);
  if (tooFarApart(rule, scores)) {
    const detail = `the judges are further apart than ${rule.spread}: ${opinions.map(inWords).join('; ')}`;
    return { score: 0, opinions, findings: [finding('judges_disagree', 'high', detail)], verdict: null };
  }
  const objections = opinions.filter(({ score, verdict }) => score < rule.accept || (verdict ?? 'accept') !== 'accept');
  const findings = objections.map((opinion) => finding('judges_object', 'high', inWords(opinion)));
  const wanted = opinions.flatMap(({ verdict }) => verdict ?? []);
  const verdict = wanted.length === 0 ? null : wanted.reduce(stricterVerdict);
  return { score: Math.min(1, ...scores), opinions, findings, verdict };
}

/** Differences of decimals are not exact; a spread of 0.3 is one between 0.6 and 0.9 too. */
const EPSILON = 1e-9;

/** At least one, however small the share: a panel nobody of which answered has said nothing. */
export const quorumOf = ({ quorum }: Pick<JudgePanel, 'quorum'>, asked: number): number =>
  Math.max(1, Math.ceil(quorum * asked - EPSILON));

export const tooFarApart = ({ spread }: Pick<JudgePanel, 'spread'>, scores: readonly number[]): boolean =>
  scores.length > 0 && Math.max(...scores) - Math.min(...scores) > spread + EPSILON;

const inWords = ({ judge, score, reason }: Opinion): string =>
  reason === '' ? `${judge} gives ${score}` : `${judge} gives ${score}: ${reason.slice(0, 300)}`;
