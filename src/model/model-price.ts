import type { ToolCost } from './tool.ts';

/** In millionths of a dollar for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Where a request with more input than this costs more, all of it. */
  readonly beyond?: { readonly inputTokens: number; readonly input: number; readonly output: number };
}

export type TokenUsage = Pick<ToolCost, 'input_tokens' | 'output_tokens'>;

const MILLION = 1_000_000;

/** What the tokens of one request cost, rounded up: none is free because it is short. */
export function costAt(price: ModelPrice, { input_tokens, output_tokens }: TokenUsage): ToolCost {
  const { beyond } = price;
  const { input, output } = beyond !== undefined && input_tokens > beyond.inputTokens ? beyond : price;
  const microusd = Math.ceil((input * input_tokens + output * output_tokens) / MILLION);
  return { input_tokens, output_tokens, microusd };
}
