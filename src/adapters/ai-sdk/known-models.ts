import { Fault } from '../../model/fault.ts';
import type { ForeignModel, LanguageModel, Models } from '../../ports/language-model.ts';

/** About four characters of ordinary text make a token; prompts are mostly ordinary text. */
const CHARACTERS_PER_TOKEN = 4;

const isConnected = (model: LanguageModel | ForeignModel): model is LanguageModel => 'generate' in model;

export const knownModels: Models = {
  connect: (model) => {
    if (isConnected(model)) return model;
    throw new Fault('model_misconfigured', `${model.provider} ${model.modelId} cannot be reached from here`);
  },
  priceOf: () => null,
  countTokens: (text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
};
