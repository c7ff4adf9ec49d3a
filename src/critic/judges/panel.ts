import type { AskedJudge, JudgeAnswer, PanelCase } from '../../model/critic/judge.ts';
import type { JudgePanel, Rubric } from '../../model/critic/rubric.ts';
import { type Finding, StepVerdict, stricterVerdict } from '../../model/critic/verdict.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { type Assessment, type Evaluator, FULL, finding } from '../evaluators/evaluator.ts';

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

/** A judge's answer, parsed. */
export interface Opinion {
  readonly judge: string;
  /** The lowest of its criteria, so that one bad score is not averaged away. */
  readonly score: number;
  readonly reason: string;
  /** The verdict that the judge asks for; null if it names none. */
  readonly verdict: StepVerdict | null;
  /** The judge's score for each criterion. */
  readonly criteria: ReadonlyMap<string, number>;
  /** Reference to the stored response. */
  readonly response: string | null;
}

/** Prefix of goal criteria such as `goal.0`. They tell whether a criterion is met, not how good the work is. */
export const GOAL_PREFIX = 'goal.';

/**
 * Parses a judge's answer. Returns null for prose, a missing criterion, or an invalid score or verdict; the judge then
 * counts as absent. Replay reads old answers with this function, so a change needs a new version of the evaluator.
 */
export function readOpinion({ judge, criteria }: AskedJudge, answer: JudgeAnswer): Opinion | null {
  if (answer.outcome !== 'answered') return null;
  const parsed = readObject(answer.text);
  const criterionScores = parsed === null ? null : parsed['criteria'];
  if (parsed === null || !isJsonObject(criterionScores ?? null)) return null;
  const scores = new Map<string, number>();
  for (const id of criteria) {
    const score = Object.hasOwn(criterionScores as JsonObject, id) ? (criterionScores as JsonObject)[id] : undefined;
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return null;
    scores.set(id, score);
  }
  const own = [...scores].filter(([id]) => !id.startsWith(GOAL_PREFIX)).map(([, score]) => score);
  const wanted = Object.hasOwn(parsed, 'verdict') ? StepVerdict.safeParse(parsed['verdict']) : null;
  if (wanted?.success === false) return null;
  const reason = typeof parsed['reason'] === 'string' ? parsed['reason'] : '';
  return {
    judge,
    score: Math.min(1, ...own),
    reason,
    verdict: wanted?.data ?? null,
    criteria: scores,
    response: answer.response,
  };
}

/** Parses the text between the first and the last brace, because models wrap JSON in prose and code fences. */
function readObject(text: string): JsonObject | null {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from < 0 || to < from) return null;
  try {
    const value = JSON.parse(text.slice(from, to + 1)) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
