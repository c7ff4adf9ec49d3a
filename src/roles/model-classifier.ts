import { z } from 'zod';
import type { Json } from '../model/json/json.ts';
import type { Classifier, ClassifierRequest, Reading } from '../ports/model/model-roles.ts';
import { fitMessages, fitsInto } from './client/fit-messages.ts';
import { maxCost } from './client/spending.ts';
import { type ModelProfiles, type ModelRoleOptions, modelRole } from './model-profile.ts';
import { CLASSIFY_TEMPLATE, classifyPrompt, NO_INTENT } from './prompts/classify.ts';

/** Generous for a sentence and a list of intents. Of a long conversation it shows the newest messages. */
const INPUT_TOKENS = 8_000;

const NOTHING_READ: Reading = Object.freeze({ intent: null, confidence: 0 });

const Answer = z.object({
  intent: z.string(),
  confidence: z.number().min(0).max(1),
  action_requested: z.boolean().optional(),
});

/** Creates a classifier that reads the intent of a request with a model. An unclear request is left to the user. */
export function modelClassifierWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Classifier {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelClassifier', options);
    return {
      cost: maxCost(profile, INPUT_TOKENS),
      uses: [{ role: 'classifier', profile, templates: [CLASSIFY_TEMPLATE] }],
      classify: async (request, client) => {
        const { messages = [] } = request;
        const shown = fitMessages(messages, (parts) =>
          fitsInto(client, classifyPrompt({ ...request, messages: parts })),
        );
        const asked = await client.ask(profile, classifyPrompt({ ...request, messages: shown }));
        return asked.ok && asked.json !== undefined ? readingOf(request, asked.json) : NOTHING_READ;
      },
      ...time,
    };
  };
}

/** Discards an intent that is not among the offered ones. */
function readingOf({ readings }: ClassifierRequest, answer: Json): Reading {
  const { data } = Answer.safeParse(answer);
  if (data === undefined) return NOTHING_READ;
  const { intent, confidence, action_requested: isAction } = data;
  const outside = { intent: null, confidence, offTopic: true } as const;
  if (intent === NO_INTENT) return isAction === true ? { ...outside, actionRequested: true } : outside;
  return readings.some((reading) => reading.intent === intent) ? { intent, confidence } : NOTHING_READ;
}
