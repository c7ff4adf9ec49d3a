import { Fault } from '../model/fault.ts';
import { assertJson } from '../model/json.ts';
import { parse } from '../model/parse.ts';
import { Scores, StepVerdict } from '../model/verdict.ts';

/** What a model judge said. Its verdict is an opinion; the one that counts is derived from the scores. */
export interface JudgeAnswer {
  readonly scores: Scores;
  readonly verdict: StepVerdict | null;
}

/** Models wrap their JSON in prose; an answer longer than this is something else. */
const ANSWER_LENGTH_MAX = 100_000;

/** Reads `{ "scores": { … }, "verdict": … }`, or the bare scores, out of a model's prose. Guesses nothing else. */
export function parseJudgeAnswer(text: string): JudgeAnswer {
  const { verdict, scores, ...bare } = firstObject(text);
  return {
    verdict: verdict === undefined || verdict === null ? null : parse(StepVerdict, verdict, 'verdict_invalid'),
    scores: parse(Scores, scores ?? bare, 'evaluator_failed'),
  };
}

/** Never looks inside an object that does not parse: what is left of a broken answer is not an answer. */
function firstObject(text: string): Record<string, unknown> {
  if (text.length > ANSWER_LENGTH_MAX) throw new Fault('evaluator_failed', `the judge wrote ${text.length} characters`);
  for (let start = text.indexOf('{'); start !== -1; ) {
    const end = closing(text, start) + 1;
    const object = parseObject(text.slice(start, end));
    if (object !== null) return object;
    start = text.indexOf('{', end);
  }
  throw new Fault('evaluator_failed', 'the judge answered without a JSON object');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    assertJson(value);
    return { ...(value as Record<string, unknown>) };
  } catch {
    return null;
  }
}

/** Where the bracket opened at `start` closes, brackets inside strings aside. */
function closing(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) return at;
  }
  return text.length;
}
