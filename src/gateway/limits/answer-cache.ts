import type { Json } from '../../model/json/json.ts';
import type { CachedAnswer } from '../../model/tool/degradation.ts';

/** The key of a cached answer. It includes the actor, because a tool may answer another identity differently. */
export interface AnswerKey {
  readonly tenantId: string;
  readonly actor: string;
  readonly tool: string;
  readonly argsHash: string;
}

interface Kept extends Omit<CachedAnswer, 'age_ms'> {
  readonly raw: Json;
  readonly at: number;
  readonly until: number;
  readonly size: number;
}

/** A cache of the last good answers, for tools that declare how long an answer may be reused. */
export interface AnswerCache {
  get(name: AnswerKey, now: number): Kept | null;
  set(name: AnswerKey, kept: Kept): void;
}

/** Limits per answer and in total, in characters, and for the number of answers. */
const ANSWER_MAX = 65_536;
const TOTAL_MAX = 16_777_216;
const COUNT_MAX = 1_000;

/** Creates a cache that is bounded in number and size. The answer that was set longest ago is dropped first. */
export function createAnswerCache(): AnswerCache {
  const answers = new Map<string, Kept>();
  let total = 0;
  const drop = (key: string): void => {
    total -= answers.get(key)?.size ?? 0;
    answers.delete(key);
  };
  return {
    get: (name, now) => {
      const key = keyOf(name);
      const found = answers.get(key);
      if (found === undefined) return null;
      if (now <= found.until) return found;
      drop(key);
      return null;
    },
    set: (name, kept) => {
      const key = keyOf(name);
      drop(key);
      if (kept.size > ANSWER_MAX) return;
      answers.set(key, kept);
      total += kept.size;
      for (const oldest of answers.keys()) {
        if (answers.size <= COUNT_MAX && total <= TOTAL_MAX) break;
        drop(oldest);
      }
    },
  };
}

const keyOf = ({ tenantId, actor, tool, argsHash }: AnswerKey): string =>
  JSON.stringify([tenantId, actor, tool, argsHash]);
