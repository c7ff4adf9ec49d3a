import type { Goal } from '../model/goal.ts';
import { plainText } from '../model/injection/plain-text.ts';
import type { IntentSpec } from '../model/intent.ts';

export interface RankedIntent {
  readonly spec: IntentSpec;
  /** The share of the goal's words that the intent has too: 0 to 1. */
  readonly overlap: number;
}

/** Shorter words join sentences and say nothing about what is wanted. */
const WORD_LENGTH_MIN = 3;

/** An agent's intents by the words they share with a goal, best first; ties stay in the order of declaration. */
export function rankIntents(goal: Goal, intents: readonly IntentSpec[]): readonly RankedIntent[] {
  const wanted = wordsOf(`${goal.intent} ${goal.statement}`);
  const ranked = intents.map((spec) => ({
    spec,
    overlap: share(wanted, wordsOf(`${spec.intent} ${spec.description}`)),
  }));
  return ranked.toSorted((a, b) => b.overlap - a.overlap);
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = plainText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= WORD_LENGTH_MIN));
}

function share(wanted: ReadonlySet<string>, offered: ReadonlySet<string>): number {
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => offered.has(word)).length / wanted.size;
}
