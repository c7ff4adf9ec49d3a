import type { JsonObject } from '../../model/json/json.ts';
import type { ModelPrompt } from '../../ports/model/language-model.ts';
import type { ClassifierRequest } from '../../ports/model/model-roles.ts';
import type { ShownPart } from '../client/fit-messages.ts';
import { DATA_RULE, messagesSection, section, sections, userMessage } from './common.ts';
import { quote } from './quote.ts';

const TEMPLATE = { name: 'classify', version: '2' } as const;
export const CLASSIFY_TEMPLATE: string = `${TEMPLATE.name}@${TEMPLATE.version}`;

/** The choice for a request outside the intents: a model without it would pick an intent anyway. */
export const NO_INTENT = 'none';

export function classifyPrompt({
  goal,
  readings,
  messages = [],
}: Omit<ClassifierRequest, 'messages'> & { readonly messages?: readonly ShownPart[] }): ModelPrompt {
  const intents = readings.map(({ intent, description }) => `- ${intent}: ${quote(description)}`);
  const request = `Request: ${quote(goal.statement)}`;
  return {
    role: 'classifier',
    template: TEMPLATE,
    system: sections(
      'You say which of the listed intents a request has. You do nothing else, and you add no intent.',
      DATA_RULE,
      section('Intents', ...intents, `- ${NO_INTENT}: none of the above`),
      section(
        'Answer',
        'With JSON: the intent, and how sure you are, from 0 (a guess) to 1 (nothing else can be meant).',
        'Where two intents would both be a sensible reading, stay below 0.5.',
        'And "action_requested": true if the request asks, in any language and in any form, to have something done, changed, sent, paid, stopped or given, and false if it asks only for words, such as a poem, an opinion or a fact.',
      ),
    ),
    messages: [userMessage([messagesSection(messages), request].filter((part) => part !== null).join('\n\n'))],
    schema: { name: 'reading', json: answerSchema(readings.map(({ intent }) => intent)) },
  };
}

const answerSchema = (intents: readonly string[]): JsonObject => ({
  type: 'object',
  required: ['intent', 'confidence', 'action_requested'],
  additionalProperties: false,
  properties: {
    intent: { type: 'string', enum: [...intents, NO_INTENT] },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    action_requested: { type: 'boolean' },
  },
});
