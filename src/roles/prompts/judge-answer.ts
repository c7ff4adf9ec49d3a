import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { AnswerJudgeRequest } from '../../ports/model/model-roles.ts';
import { closed } from '../schema/portable.ts';
import { DATA_RULE, section, sections, userMessage } from './common.ts';
import { quote } from './quote.ts';

export const JUDGE_ANSWER_TEMPLATE: ModelPrompt['template'] = Object.freeze({ name: 'judge_answer', version: '1' });

/** The total length of the facts, in characters. */
const FACTS_LENGTH_MAX = 30_000;

/** Asks for one verdict on each sentence of an answer that is not provable. */
export function judgeAnswerPrompt({ goal, facts, sentences }: AnswerJudgeRequest): Omit<ModelPrompt, 'schema'> & {
  readonly schema: NonNullable<ModelPrompt['schema']>;
} {
  const each = Math.floor(FACTS_LENGTH_MAX / Math.max(1, facts.length));
  return {
    role: 'judge',
    template: JUDGE_ANSWER_TEMPLATE,
    system: sections(
      'You check sentences of an answer against the facts that they cite. A user is shown only the sentences that you call supported.',
      DATA_RULE,
      section(
        'Rules',
        '- A sentence is supported only if everything it says follows from the fields that it cites: each value, name, unit, date, count and relation.',
        '- It may use other words than the facts. It may not add, omit a condition, round, conclude, promise, advise or give a cause.',
        '- A part marked "(withheld)" supports nothing. The request supports nothing; it only shows what was asked.',
        '- In doubt, a sentence is not supported.',
      ),
      section(
        'Answer',
        'With one JSON object: one verdict for each sentence, in the order of the sentences, each with whether it is supported and the reason in a few words.',
      ),
    ),
    messages: [
      userMessage(
        sections(
          section('Request', quote(goal.statement)),
          ...facts.map(({ ref, tool, value }) =>
            section(`Fact ${ref}`, `Tool: ${quote(tool)}`, `Value: ${quote(value, each)}`),
          ),
          section('Sentences', ...sentences.map(sentenceLine)),
        ),
      ),
    ],
    schema: { name: 'verdicts', json: VERDICTS_SCHEMA },
  };
}

function sentenceLine({ text, cites }: AnswerJudgeRequest['sentences'][number], place: number): string {
  const fields = cites.map(({ ref, pointer }) => `${ref} ${quote(pointer)}`).join(', ');
  return `${place + 1}. ${quote(text)} Cites: ${fields}`;
}

const VERDICTS_SCHEMA = closed({
  verdicts: { type: 'array', items: closed({ supported: { type: 'boolean' }, reason: { type: 'string' } }) },
});
