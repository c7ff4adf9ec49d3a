import { z } from 'zod';
import type { Json } from '../model/json.ts';
import type { Classifier, ClassifierRequest, Reading } from '../ports/classifier.ts';
import { mostFor } from './desk/spending.ts';
import type { ModelProfiles } from './model-profile.ts';
import { type ModelRoleOptions, modelRole } from './model-role.ts';
import { CLASSIFY_TEMPLATE, classifyPrompt } from './prompts/classify.ts';

/** A request is one sentence and a list of intents: more than this is no request any more. */
const INPUT_TOKENS = 8_000;

const NOTHING_READ: Reading = Object.freeze({ intent: null, confidence: 0 });

const Answer = z.object({ intent: z.string(), confidence: z.number().min(0).max(1) });

/** Reads what a request is about with a model. Whatever it cannot make out is left to the user. */
export function modelClassifierWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Classifier {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelClassifier', options);
    return {
      cost: mostFor(profile, INPUT_TOKENS),
      uses: [{ role: 'classifier', profile, templates: [CLASSIFY_TEMPLATE] }],
      classify: async (request, desk) => {
        const asked = await desk.ask(profile, classifyPrompt(request));
        return asked.ok && asked.json !== undefined ? readingOf(request, asked.json) : NOTHING_READ;
      },
      ...time,
    };
  };
}

/** A reading that is not among those that were put before it is none. */
function readingOf({ readings }: ClassifierRequest, said: Json): Reading {
  const { data } = Answer.safeParse(said);
  return data !== undefined && readings.some(({ intent }) => intent === data.intent) ? data : NOTHING_READ;
}
