import { costAt, type ModelPrice, type TokenUsage } from '../../model/model-price.ts';
import type { ToolCost } from '../../model/tool.ts';
import type { ModelProfile, Models, ReportedUsage } from '../../ports/language-model.ts';

/**
 * The most that one request to a profile may take, whichever of its models answers: what a role sets aside for a
 * question. Retries are paid from what an answer leaves over.
 */
export function mostFor(profile: ModelProfile, inputTokens: number): ToolCost {
  const { model, price, fallbacks, parameters } = profile;
  const usage = { input_tokens: inputTokens, output_tokens: parameters.outputTokensMax };
  const prices = [price ?? ownPrice(model), ...fallbacks.map(ownPrice)];
  const microusd = Math.max(...prices.map((each) => (each === null ? 0 : costAt(each, usage).microusd)));
  return { ...usage, microusd };
}

/** A price that neither the profile nor the model knows is found, or missed, when an agent is put together. */
const ownPrice = (named: ModelProfile['fallbacks'][number]): ModelPrice | null =>
  'price' in named ? (named.price ?? null) : null;

/** No provider has ever taken this many; a report beyond it is cut, so that sums stay exact. */
const TOKENS_MAX = 1e12;

/** What is charged for a request: what its provider says, and for whatever it does not say an estimate. */
export interface Charged {
  readonly usage: TokenUsage;
  readonly measured: boolean;
}

/** `reported`: null where nothing at all was taken. `text` is what came back. */
export function charged(models: Models, inputTokens: number, text: string, reported: ReportedUsage | null): Charged {
  if (reported === null) return { usage: { input_tokens: 0, output_tokens: 0 }, measured: false };
  const input = believed(reported.input_tokens, true);
  const output = believed(reported.output_tokens, text !== '');
  return {
    usage: { input_tokens: input ?? inputTokens, output_tokens: output ?? models.countTokens(text) },
    measured: input !== null && output !== null,
  };
}

/** A server that does not count says zero, which is no count of something. */
function believed(reported: number | null, something: boolean): number | null {
  if (reported === null || !(reported >= 0) || (reported === 0 && something)) return null;
  return Math.min(Math.ceil(reported), TOKENS_MAX);
}

export const fitsIn = (most: ToolCost, left: ToolCost): boolean =>
  most.input_tokens <= left.input_tokens && most.output_tokens <= left.output_tokens && most.microusd <= left.microusd;

export const minus = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: a.input_tokens - b.input_tokens,
  output_tokens: a.output_tokens - b.output_tokens,
  microusd: a.microusd - b.microusd,
});
