import type { PanelCase } from '../../model/critic/judge.ts';
import type { JudgePanel, Rubric } from '../../model/critic/rubric.ts';
import { type Finding, type StepVerdict, stricterVerdict } from '../../model/critic/verdict.ts';
import { type Assessment, type Evaluator, FULL, finding } from '../evaluators/evaluator.ts';
import { type Opinion, readOpinion } from './opinion.ts';

/** The joint result of the judges of one case. */
interface PanelRuling {
  readonly score: number;
  readonly opinions: readonly Opinion[];
  readonly findings: readonly Finding[];
  /** The strictest verdict that a judge asks for; null if none asks. */
  readonly verdict: StepVerdict | null;
}

/** The limits of a panel: its quorum, the largest spread of scores and the acceptance threshold. */
export type PanelRule = Pick<JudgePanel, 'quorum' | 'spread'> & Pick<Rubric, 'accept'>;

/**
 * Combines the judges' answers. The score is the lowest one, so that no judge is outvoted. It is 0 if too few answers
 * are readable or if the scores are too far apart.
 */
export function ruleOnPanel(rule: PanelRule, { asked, answers }: PanelCase): PanelRuling {
  const opinions = asked.flatMap((judge) => {
    const answer = answers.find((each) => each.judge === judge.judge);
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

/** Tolerance for decimal differences: 0.9 − 0.6 counts as a spread of 0.3. */
const EPSILON = 1e-9;

/** Number of judges that have to answer: at least one, however small the quorum. */
export const quorumOf = ({ quorum }: Pick<JudgePanel, 'quorum'>, asked: number): number =>
  Math.max(1, Math.ceil(quorum * asked - EPSILON));

export const tooFarApart = ({ spread }: Pick<JudgePanel, 'spread'>, scores: readonly number[]): boolean =>
  scores.length > 0 && Math.max(...scores) - Math.min(...scores) > spread + EPSILON;

const inWords = ({ judge, score, reason }: Opinion): string =>
  reason === '' ? `${judge} gives ${score}` : `${judge} gives ${score}: ${reason.slice(0, 300)}`;

/** A case that judges may have evaluated. */
interface Judged {
  readonly panel?: PanelCase;
}

/**
 * The evaluator of the judges' answers, with a score of its own. It can only lower the result: it raises no other
 * score, and a case without judges gets a full score.
 */
export function judges(rubric: Rubric): Evaluator<Judged> {
  const { quorum, spread } = rubric.judges ?? { quorum: 1, spread: 0 };
  return {
    name: 'judges',
    version: '1',
    assess: ({ panel }): Assessment => {
      if (panel === undefined || panel.asked.length === 0) return FULL;
      const { score, findings, verdict } = ruleOnPanel({ quorum, spread, accept: rubric.accept }, panel);
      const wanted = verdict === null ? {} : { verdict };
      return findings.length === 0 ? { score, ...wanted } : { score, findings, ...wanted };
    },
  };
}
