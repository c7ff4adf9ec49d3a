import type { AskedJudge, JudgeAnswer } from '../../model/critic/judge.ts';
import { StepVerdict } from '../../model/critic/verdict.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';

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
