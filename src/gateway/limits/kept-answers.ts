import type { CachedAnswer } from '../../model/degradation.ts';
import type { Json } from '../../model/json.ts';

/** Who asks which tool what. An answer is for whoever asked: another identity may have been told something else. */
export interface KeptName {
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

/** The last good answers of tools that declare for how long these may stand in for them. */
export interface KeptAnswers {
  get(name: KeptName, now: number): Kept | null;
  set(name: KeptName, kept: Kept): void;
}

/** What is kept of one answer, and of all of them together, in characters; and how many there are. */
const ANSWER_MAX = 65_536;
const TOTAL_MAX = 16_777_216;
const COUNT_MAX = 1_000;

/** Bounded in number and in size. Whatever was set longest ago makes room for what comes. */
export function createKeptAnswers(): KeptAnswers {
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

const keyOf = ({ tenantId, actor, tool, argsHash }: KeptName): string =>
  JSON.stringify([tenantId, actor, tool, argsHash]);
