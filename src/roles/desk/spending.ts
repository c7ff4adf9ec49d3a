import type { ToolCost } from '../../model/tool.ts';
import type { Generated, ModelPrice, Models } from '../../ports/language-model.ts';

type Usage = Pick<ToolCost, 'input_tokens' | 'output_tokens'>;

const MILLION = 1_000_000;

/** What tokens cost at a price, in millionths of a dollar, rounded up: no request is free because it is short. */
export function costOf(price: ModelPrice | null, { input_tokens, output_tokens }: Usage): ToolCost {
  const microusd =
    price === null ? 0 : Math.ceil((price.input * input_tokens + price.output * output_tokens) / MILLION);
  return { input_tokens, output_tokens, microusd };
}

/** A provider that says nothing is charged for what was sent and what came back, as far as it can be counted. */
export function estimateOf(models: Models, prompt: string, text: string, generated: Generated): Usage {
  // What never reached a provider was not charged by one.
  const sent = generated.ok || generated.fault.code === 'model_timeout';
  return { input_tokens: sent ? models.countTokens(prompt) : 0, output_tokens: models.countTokens(text) };
}

export const fitsIn = (most: ToolCost, left: ToolCost): boolean =>
  most.input_tokens <= left.input_tokens && most.output_tokens <= left.output_tokens && most.microusd <= left.microusd;

export const minus = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: a.input_tokens - b.input_tokens,
  output_tokens: a.output_tokens - b.output_tokens,
  microusd: a.microusd - b.microusd,
});
