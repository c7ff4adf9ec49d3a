/** A model profile for tests that do not depend on its values. */
import type { ModelProfile } from '../../src/ports/model/language-model.ts';
import type { ScriptedModel } from '../../src/testing/scripted-model.ts';

export const profileOf = (model: ScriptedModel, changes: Partial<ModelProfile> = {}): ModelProfile => ({
  name: 'scripted',
  model,
  fallbacks: [],
  parameters: { temperature: 0, outputTokensMax: 1_000, structured: true },
  requestTimeoutMs: 10_000,
  price: { input: 1_000_000, output: 4_000_000 },
  ...changes,
});
