import { expect, test } from 'vitest';
import { priceOf } from './prices.ts';

test.for([
  ['openai.responses/gpt-5', 1_250_000, 10_000_000],
  ['openai.chat/gpt-4o-2024-08-06', 2_500_000, 10_000_000],
  ['openai.responses/gpt-5-chat-latest', 1_250_000, 10_000_000],
  ['anthropic.messages/claude-haiku-4-5-20251001', 1_000_000, 5_000_000],
  ['anthropic.messages/claude-opus-4-5', 5_000_000, 25_000_000],
  ['google.generative-ai/gemini-2.5-flash', 300_000, 2_500_000],
  ['google.vertex.chat/gemini-3-flash-preview', 500_000, 3_000_000],
  ['mistral.chat/mistral-large-latest', 500_000, 1_500_000],
] as const)('%s', ([id, input, output]) => {
  expect(priceOf(id)).toMatchObject({ input, output });
});

test('a long prompt costs more for models with such a price', () => {
  expect(priceOf('google.generative-ai/gemini-2.5-pro')).toEqual({
    input: 1_250_000,
    output: 10_000_000,
    beyond: { inputTokens: 200_000, input: 2_500_000, output: 15_000_000 },
  });
});

test.for([
  'ollama.chat/llama3.2',
  'openai.chat/gpt-5-turbo-ultra',
  'openai.chat/constructor',
  'constructor/constructor',
  '__proto__/x',
  'gpt-5',
  'azure.chat/gpt-5',
  '',
])('the price of %j is unknown', (id) => {
  expect(priceOf(id)).toBeNull();
});
