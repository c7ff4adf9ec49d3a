import type { Hash } from '../../model/hash.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Problem } from '../../model/problem.ts';

/** The call that an answer belongs to, as recorded. */
export interface AnsweredCall {
  readonly args: JsonObject;
  /** When the answer was verified. */
  readonly now: number;
  readonly hash: Hash;
}

/** What is wrong with an answer that fits its schema, by the rules of its category. */
export type AnswerCheck<Rules> = (rules: Rules, raw: Json, call: AnsweredCall) => readonly Problem[];

export const wrong = (path: string, message: string): Problem => ({ code: 'tool_result_invalid', path, message });
