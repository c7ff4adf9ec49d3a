import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { AskedJudge, JudgeAnswer } from '../../model/judge.ts';
import { StepVerdict } from '../../model/verdict.ts';

/** What a judge means, read from what it said. */
export interface Opinion {
  readonly judge: string;
  /** The lowest of its criteria: a judge that finds one thing wrong is not talked out of it by the others. */
  readonly score: number;
  readonly reason: string;
  /** What it wants done; null where it does not say. */
  readonly verdict: StepVerdict | null;
  /** What it gave for each criterion. */
  readonly criteria: ReadonlyMap<string, number>;
  /** Where the answer lies. */
  readonly response: string | null;
}

/** Criteria of the goal are asked by their places, under this prefix: they say whether something is shown, not how good the work is. */
export const GOAL_PREFIX = 'goal.';

/**
 * Null for whatever cannot be read: prose, a criterion left out, a score or a verdict that is none. Such a judge counts as absent.
 * This reads the answers of runs that ended long ago, so a new way of reading is a new version of the evaluator.
 */
export function readOpinion({ judge, criteria }: AskedJudge, answer: JudgeAnswer): Opinion | null {
  if (answer.outcome !== 'answered') return null;
  const said = readObject(answer.text);
  const given = said === null ? null : said['criteria'];
  if (said === null || !isJsonObject(given ?? null)) return null;
  const scores = new Map<string, number>();
  for (const id of criteria) {
    const score = Object.hasOwn(given as JsonObject, id) ? (given as JsonObject)[id] : undefined;
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return null;
    scores.set(id, score);
  }
  const own = [...scores].filter(([id]) => !id.startsWith(GOAL_PREFIX)).map(([, score]) => score);
  const wanted = Object.hasOwn(said, 'verdict') ? StepVerdict.safeParse(said['verdict']) : null;
  if (wanted?.success === false) return null;
  const reason = typeof said['reason'] === 'string' ? said['reason'] : '';
  return {
    judge,
    score: Math.min(1, ...own),
    reason,
    verdict: wanted?.data ?? null,
    criteria: scores,
    response: answer.response,
  };
}

/** Models like to dress JSON up. What stands between the first and the last brace is what they mean. */
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
