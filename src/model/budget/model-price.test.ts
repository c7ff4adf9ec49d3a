/** Costs are rounded up, and a long prompt has a higher price. */
import { expect, test } from 'vitest';
import { costAt } from './model-price.ts';

test('rounds a fraction of a millionth of a dollar up', () => {
  expect(costAt({ input: 150_000, output: 600_000 }, { input_tokens: 1, output_tokens: 0 }).microusd).toBe(1);
  expect(costAt({ input: 150_000, output: 600_000 }, { input_tokens: 10, output_tokens: 1 }).microusd).toBe(3);
  expect(costAt({ input: 0, output: 0 }, { input_tokens: 10, output_tokens: 1 }).microusd).toBe(0);
});

test('charges the higher price for all tokens of a prompt above the threshold', () => {
  const price = {
    input: 1_000_000,
    output: 2_000_000,
    beyond: { inputTokens: 100, input: 2_000_000, output: 3_000_000 },
  };
  expect(costAt(price, { input_tokens: 100, output_tokens: 10 }).microusd).toBe(120);
  expect(costAt(price, { input_tokens: 101, output_tokens: 10 }).microusd).toBe(232);
});
