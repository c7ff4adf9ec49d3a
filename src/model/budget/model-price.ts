import type { ToolCost } from '../tool/tool.ts';

/** The price of a million tokens, in millionths of a dollar. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The higher price of all tokens of a request with more input than `inputTokens`. */
  readonly beyond?: { readonly inputTokens: number; readonly input: number; readonly output: number };
}

export type TokenUsage = Pick<ToolCost, 'input_tokens' | 'output_tokens'>;

const MILLION = 1_000_000;

/** Returns the cost of one request, rounded up, so that a short request is not free. */
export function costAt(price: ModelPrice, { input_tokens, output_tokens }: TokenUsage): ToolCost {
  const { beyond } = price;
  const { input, output } = beyond !== undefined && input_tokens > beyond.inputTokens ? beyond : price;
  const microusd = Math.ceil((input * input_tokens + output * output_tokens) / MILLION);
  return { input_tokens, output_tokens, microusd };
}
