/** Proves that what is set aside for a question is enough for whichever of its models answers. */
import { expect, test } from 'vitest';
import type { ModelPrice } from '../../model/model-price.ts';
import type { LanguageModel, ModelProfile } from '../../ports/language-model.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { mostFor } from './spending.ts';

const CHEAP: ModelPrice = { input: 1_000_000, output: 2_000_000 };
const DEAR: ModelPrice = { input: 10_000_000, output: 20_000_000 };

const model = (price: ModelPrice): LanguageModel => ({ ...scriptedModel([]), price });

function profile(price: ModelPrice | null, first: ModelPrice, fallbacks: ModelProfile['fallbacks']): ModelProfile {
  const parameters = { temperature: null, outputTokensMax: 100, structured: true };
  return { name: 'p', model: model(first), fallbacks, parameters, timeoutMs: 1_000, price };
}

test.each([
  ['alone', profile(null, CHEAP, []), 1_200],
  ['at a price of its own', profile(DEAR, CHEAP, []), 12_000],
  ['with a dearer one to fall back on', profile(CHEAP, CHEAP, [model(DEAR)]), 12_000],
  [
    'with a dearer one that has its price beside it',
    profile(CHEAP, CHEAP, [{ model: model(CHEAP), price: DEAR }]),
    12_000,
  ],
  ['with a cheaper one', profile(DEAR, DEAR, [model(CHEAP)]), 12_000],
])('a model %s', (_, asked, microusd) => {
  expect(mostFor(asked, 1_000)).toEqual({ input_tokens: 1_000, output_tokens: 100, microusd });
});
