import { z } from 'zod';
import { RewrittenSentence } from '../model/evidence/answer.ts';
import { Fault } from '../model/fault/fault.ts';
import type { ModelClient, ModelProfile } from '../ports/model/language-model.ts';
import type { ComposeRequest, Composer } from '../ports/model/model-roles.ts';
import { fitMessages, fitsInto } from './client/fit-messages.ts';
import { maxCost } from './client/spending.ts';
import { type ModelProfiles, type ModelRoleOptions, modelRole } from './model-profile.ts';
import { openConversation } from './plan-conversation.ts';
import { COMPOSE_TEMPLATE, composePrompt } from './prompts/compose.ts';

/** The facts are truncated to this size, and earlier messages to what they leave. */
const INPUT_TOKENS = 20_000;

const Composition = z.object({ sentences: z.array(RewrittenSentence).max(100) });

/**
 * Creates a composer that writes the answer with a model. The model sees the request and the committed facts; the
 * release check decides on each of its sentences.
 */
export function modelComposerWith(profiles: ModelProfiles): (options: ModelRoleOptions) => Composer {
  return (options) => {
    const { profile, time } = modelRole(profiles, 'modelComposer', options);
    return {
      cost: maxCost(profile, INPUT_TOKENS),
      uses: [{ role: 'executor', profile, templates: [`${COMPOSE_TEMPLATE.name}@${COMPOSE_TEMPLATE.version}`] }],
      compose: (request, _signal, client) => compose(profile, request, client),
      ...time,
    };
  };
}

async function compose(
  profile: ModelProfile,
  request: ComposeRequest,
  client: ModelClient,
): Promise<readonly RewrittenSentence[]> {
  const { messages = [] } = request;
  const shown = fitMessages(messages, (parts) => fitsInto(client, composePrompt({ ...request, messages: parts })));
  const { schema, ...opening } = composePrompt({ ...request, messages: shown });
  const asked = await openConversation(client, profile, { ...opening, schemas: [schema] }).ask();
  if (!asked.ok) throw asked.fault;
  const read = Composition.safeParse(asked.json);
  if (!read.success) throw new Fault('argument_invalid', 'the model wrote no answer that could be read');
  return read.data.sentences;
}
