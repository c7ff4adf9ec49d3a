/** The amount reserved for a question covers every model that may answer it. */
import { expect, test } from 'vitest';
import type { ModelPrice } from '../../model/budget/model-price.ts';
import type { LanguageModel, ModelProfile } from '../../ports/model/language-model.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { maxCost } from './spending.ts';

const CHEAP: ModelPrice = { input: 1_000_000, output: 2_000_000 };
const DEAR: ModelPrice = { input: 10_000_000, output: 20_000_000 };

const model = (price: ModelPrice): LanguageModel => ({ ...scriptedModel([]), price });

function profile(price: ModelPrice | null, first: ModelPrice, fallbacks: ModelProfile['fallbacks']): ModelProfile {
  const parameters = { temperature: null, outputTokensMax: 100, structured: true };
  return { name: 'p', model: model(first), fallbacks, parameters, requestTimeoutMs: 1_000, price };
}

test.each([
  ['without fallbacks', profile(null, CHEAP, []), 1_200],
  ['with its own price', profile(DEAR, CHEAP, []), 12_000],
  ['with a more expensive fallback', profile(CHEAP, CHEAP, [model(DEAR)]), 12_000],
  [
    'with a more expensive fallback that has its own price',
    profile(CHEAP, CHEAP, [{ model: model(CHEAP), price: DEAR }]),
    12_000,
  ],
  ['with a cheaper fallback', profile(DEAR, DEAR, [model(CHEAP)]), 12_000],
])('reserves enough for a model %s', (_, asked, microusd) => {
  expect(maxCost(asked, 1_000)).toEqual({ input_tokens: 1_000, output_tokens: 100, microusd });
});
