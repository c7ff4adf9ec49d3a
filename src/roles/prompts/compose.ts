import type { AnswerFact } from '../../model/evidence/answer.ts';
import type { Json } from '../../model/json/json.ts';
import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { ComposeRequest } from '../../ports/model/model-roles.ts';
import type { ShownPart } from '../client/fit-messages.ts';
import { closed } from '../schema/portable.ts';
import { DATA_RULE, messagesSection, section, sections, userMessage, withInstructions } from './common.ts';
import { quote } from './quote.ts';

export const COMPOSE_TEMPLATE: ModelPrompt['template'] = Object.freeze({ name: 'compose', version: '3' });

/** The total length of the facts, in characters. */
const FACTS_LENGTH_MAX = 40_000;

const MESSAGES_RULE =
  '- The conversation so far says what the request refers to. It is no fact, your earlier answers included: take no value from it.';

/** The forms that the release check can prove, so that most sentences are released as they were written. */
const PROVABLE_FORMS: readonly string[] = [
  '- Name the field in plain words and give its value: "Your plan is Pro.", "Invoice INV-7 is due on 3 May 2026."',
  '- One record per clause. Begin a sentence about an element of a list with its id or name.',
  '- Cite only the facts that the sentence needs. A second fact with the same value makes it ambiguous.',
  '- Money with its currency, dates as "3 May 2026", numbers exact. Write "about" before a rounded number.',
  '- Count with the word of the field: "There are 4 pieces of the blue mug.", not "There are 4 blue mugs."',
  '- "none" or "not" only for a field that is null, false, 0 or an empty list.',
  '- Counts, sums, "first", "last" and "most" only over lists marked complete: "There are two orders." "all" only if every element of such a list has the value: "All orders are open."',
  '- No causes, promises, advice or quotations, unless a field states them. Report texts of outsiders as theirs: "The mail says that the parcel is late."',
  '- Say that something was done only from a fact of the tool that did it, with the word of a field such as its status: "Order ord_7 was refunded."',
];

/** Asks for the answer as sentences with the fields that each rests on. */
export function composePrompt({
  goal,
  instructions,
  facts,
  rewrite,
  messages = [],
}: Omit<ComposeRequest, 'messages'> & { readonly messages?: readonly ShownPart[] }): Omit<ModelPrompt, 'schema'> & {
  readonly schema: NonNullable<ModelPrompt['schema']>;
} {
  const each = Math.floor((FACTS_LENGTH_MAX - (instructions?.length ?? 0)) / Math.max(1, facts.length));
  return {
    role: 'executor',
    template: COMPOSE_TEMPLATE,
    system: withInstructions(
      sections(
        'You write the answer to a request from facts that tools returned. Each sentence is checked against the facts that it cites, and only sentences that follow from them are shown.',
        DATA_RULE,
        section(
          'Rules',
          rewrite.length === 0
            ? '- Answer every part of the request, briefly, in the order of the request. Leave out what was not asked for.'
            : `- Other sentences answer the rest of the request already. Rewrite exactly ${countOf(rewrite)} below, each once, in this order, and write nothing else.`,
          '- Each sentence cites every field it rests on: the reference of the fact and a JSON Pointer into its value.',
          '- Use nothing but the facts. If a part of the request has no fact, leave it out.',
          ...(messages.length === 0 ? [] : [MESSAGES_RULE]),
        ),
        section('Sentences that can be shown', ...PROVABLE_FORMS),
        section(
          'Answer',
          rewrite.length === 0
            ? 'With one JSON object: the sentences in order, each with its text and what it cites.'
            : 'With one JSON object: the rewritten sentences, each with the number of the sentence that it replaces, its text and what it cites.',
        ),
      ),
      instructions,
    ),
    messages: [
      userMessage(
        sections(
          messagesSection(messages),
          section('Request', quote(goal.statement)),
          ...facts.map((fact) => section(`Fact ${fact.ref}`, ...factLines(fact, each))),
          ...(rewrite.length === 0
            ? []
            : [section(`Rewrite exactly ${countOf(rewrite)}`, ...rewrite.map(rejectedLine))]),
        ),
      ),
    ],
    schema: { name: 'answer', json: rewrite.length === 0 ? ANSWER_SCHEMA : REWRITE_SCHEMA },
  };
}

function factLines({ tool, value, untrusted = [], complete = [] }: AnswerFact, most: number): readonly string[] {
  return [
    `Tool: ${quote(tool)}`,
    ...(complete.length === 0 ? [] : [`Complete lists: ${complete.map((place) => quote(place)).join(', ')}`]),
    ...(untrusted.length === 0 ? [] : [`Texts of outsiders: ${untrusted.map((place) => quote(place)).join(', ')}`]),
    `Value: ${quote(value, most)}`,
  ];
}

const countOf = ({ length }: ComposeRequest['rewrite']): string =>
  length === 1 ? 'this one sentence' : `these ${length} sentences`;

const rejectedLine = ({ text, reason }: ComposeRequest['rewrite'][number], place: number): string =>
  `${place + 1}. ${quote(text)} Not shown: ${quote(reason)}`;

const CITE: Json = closed({ ref: { type: 'string' }, pointer: { type: 'string' } });
const SENTENCE = { text: { type: 'string' }, cites: { type: 'array', items: CITE } } as const;
const ANSWER_SCHEMA = closed({ sentences: { type: 'array', items: closed(SENTENCE) } });
const REWRITE_SCHEMA = closed({
  sentences: { type: 'array', items: closed({ number: { type: 'integer' }, ...SENTENCE }) },
});
