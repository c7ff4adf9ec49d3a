import { costAt, type ModelPrice, type TokenUsage } from '../../model/budget/model-price.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { ModelProfile, Models, ReportedUsage } from '../../ports/model/language-model.ts';

/**
 * The most that one request to a profile may cost, whichever of its models answers. A role reserves this per question;
 * retries are paid from the unused rest.
 */
export function maxCost(profile: ModelProfile, inputTokens: number): ToolCost {
  return costOf(profile, { input_tokens: inputTokens, output_tokens: profile.parameters.outputTokensMax });
}

/** The maximum output that is reserved for corrections. A larger reserve would exceed the smallest shipped budget. */
const CORRECTION_TOKENS_MAX = 4_096;

/** The maximum cost of a question with its corrections. Corrections add output, but share the input allowance. */
export function maxCorrectedCost(profile: ModelProfile, inputTokens: number): ToolCost {
  const { outputTokensMax } = profile.parameters;
  const output_tokens = outputTokensMax + Math.min(outputTokensMax, CORRECTION_TOKENS_MAX);
  return costOf(profile, { input_tokens: inputTokens, output_tokens });
}

function costOf({ model, price, fallbacks }: ModelProfile, usage: TokenUsage): ToolCost {
  const prices = [price ?? ownPrice(model), ...fallbacks.map(ownPrice)];
  const microusd = Math.max(...prices.map((each) => (each === null ? 0 : costAt(each, usage).microusd)));
  return { ...usage, microusd };
}

/** The price in the profile or the model. Prices from the price table are looked up when the agent is assembled. */
const ownPrice = (named: ModelProfile['fallbacks'][number]): ModelPrice | null =>
  'price' in named ? (named.price ?? null) : null;

/** Reported token counts are capped here, so that sums stay exact integers. */
const TOKENS_MAX = 1e12;

/** The usage charged for a request: the provider's figures, or estimates for those it does not report. */
export interface Charged {
  readonly usage: TokenUsage;
  readonly measured: boolean;
}

/** `reported` is null if the request used nothing; `text` is the answer. */
export function chargedUsage(
  models: Models,
  inputTokens: number,
  text: string,
  reported: ReportedUsage | null,
): Charged {
  if (reported === null) return { usage: { input_tokens: 0, output_tokens: 0 }, measured: false };
  const input = believed(reported.input_tokens, true);
  const output = believed(reported.output_tokens, text !== '');
  return {
    usage: { input_tokens: input ?? inputTokens, output_tokens: output ?? models.countTokens(text) },
    measured: input !== null && output !== null,
  };
}

/** The reported count, or null if it is unusable. Servers that do not count report zero. */
function believed(reported: number | null, something: boolean): number | null {
  if (reported === null || !(reported >= 0) || (reported === 0 && something)) return null;
  return Math.min(Math.ceil(reported), TOKENS_MAX);
}
