import { QUESTION_ANSWER, REFUND_ANSWER } from '../../examples/01-refund/src/script.ts';
import { RESEARCH_ANSWER } from '../../examples/04-research/src/answer.ts';
import type { ScriptedAnswer } from '../../examples/scripted-answer.ts';
import { type AnswerCase, tallyAnswers } from './tally.ts';

const toCase = ({ drafts, facts, ...answer }: ScriptedAnswer): AnswerCase => ({
  ...answer,
  facts: facts.map(({ value, ...fact }) => ({ ...fact, value: { ...value } })),
  sentences: drafts.flat().map(({ text, cites, wrong }) => ({
    text,
    refs: [...new Set(cites.map(({ ref }) => ref))],
    supported: wrong !== true,
    kind: 'shipped',
  })),
});

/** The share of provable sentences in the scripts of the demo and the examples, without those that are wrong on purpose. */
export function tallyShipped(): { readonly sentences: number; readonly released: number } {
  const { released, not_provable, refused } = tallyAnswers(
    [QUESTION_ANSWER, REFUND_ANSWER, RESEARCH_ANSWER].map(toCase),
  ).tally.supported;
  return { sentences: released + not_provable + refused, released };
}
