import { isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import { unknownMessage } from '../../model/text/nearest.ts';

/** Options for the provider of a model, by provider name, as the AI SDK takes them: `{ anthropic: { effort: 'low' } }`. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** Returns what is wrong with the value of an option; null if it is valid. */
type Rule = (value: Json) => string | null;

const any: Rule = () => null;

const oneOf =
  (...values: readonly string[]): Rule =>
  (value) =>
    values.includes(String(value)) ? null : `must be ${listOf(values.map((each) => `'${each}'`))}`;

const listOf = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** The provider of Anthropic's models uses this budget if the options state none. */
const THINKING_TOKENS = 1_024;
const THINKING: readonly unknown[] = ['adaptive', 'enabled', 'disabled', 'between_tools'];

const thinking: Rule = (value) => {
  const { type, budgetTokens = THINKING_TOKENS } = isJsonObject(value) ? value : {};
  const isBudget = Number.isInteger(budgetTokens) && Number(budgetTokens) >= THINKING_TOKENS;
  if (THINKING.includes(type) && isBudget) return null;
  return `must be { type: 'adaptive' }, 'disabled' or 'between_tools', or 'enabled' with budgetTokens from ${THINKING_TOKENS}`;
};

/** The price of a token that is written to a cache, as a multiple of the input price, by the time it is kept. */
const CACHE_WRITE: Readonly<Record<string, number>> = { '5m': 1.25, '1h': 2 };

const cacheControl: Rule = (value) => {
  const { type, ttl = '5m' } = isJsonObject(value) ? value : {};
  if (type === 'ephemeral' && Object.hasOwn(CACHE_WRITE, String(ttl))) return null;
  return "must be { type: 'ephemeral' }, with ttl '5m' or '1h'";
};

const OPENAI: Readonly<Record<string, Rule>> = {
  reasoningEffort: any,
  reasoningSummary: any,
  textVerbosity: any,
  strictJsonSchema: any,
  promptCacheKey: any,
  safetyIdentifier: any,
  user: any,
  metadata: any,
  store: any,
  serviceTier: oneOf('auto', 'default', 'flex'),
};

const GOOGLE: Readonly<Record<string, Rule>> = {
  thinkingConfig: any,
  safetySettings: any,
  threshold: any,
  labels: any,
  structuredOutputs: any,
};

/**
 * The options that are passed on, by provider. None of them changes the model, the messages, the tools, the number of
 * answers or the token limits, or raises the price unaccounted. Every option that is not listed is refused.
 */
const PASSED: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  anthropic: {
    thinking,
    effort: any,
    cacheControl,
    metadata: any,
    serviceTier: oneOf('auto', 'standard_only', 'standard'),
  },
  openai: OPENAI,
  azure: OPENAI,
  google: GOOGLE,
  vertex: GOOGLE,
  mistral: { reasoningEffort: any, safePrompt: any, strictJsonSchema: any, structuredOutputs: any },
};

/** The options for any other provider. An OpenAI-compatible provider copies unknown options into the request. */
const PASSED_TO_OTHERS: Readonly<Record<string, Rule>> = {
  reasoningEffort: any,
  textVerbosity: any,
  strictJsonSchema: any,
  user: any,
  metadata: any,
  seed: any,
  top_p: any,
  top_k: any,
  min_p: any,
  frequency_penalty: any,
  presence_penalty: any,
  repetition_penalty: any,
  chat_template_kwargs: any,
  enable_thinking: any,
  keep_alive: any,
};

/** A problem of one option, with the JSON Pointer of its place in the profile. */
interface OptionProblem {
  readonly path: string;
  readonly message: string;
}

/** The first problem of provider options for requests with `outputTokensMax`; null if there is none. */
export function optionsProblem(options: ProviderOptions, outputTokensMax: number): OptionProblem | null {
  for (const [provider, values] of Object.entries(options)) {
    const rules = own(PASSED, provider) ?? PASSED_TO_OTHERS;
    for (const [option, value] of Object.entries(values)) {
      const why = own(rules, option)?.(value);
      if (why === null) continue;
      const place = `providerOptions.${printable(provider)}`;
      const message =
        why === undefined
          ? `${place}: ${unknownMessage([option], Object.keys(rules), 'option')}`
          : `${place}.${option}: ${why}`;
      return { path: `/providerOptions${pointerToken(provider)}${pointerToken(option)}`, message };
    }
  }
  const tokens = thinkingTokens(options);
  if (tokens < outputTokensMax) return null;
  const message = `providerOptions.anthropic.thinking: budgetTokens (${tokens}) must be less than outputTokensMax (${outputTokensMax}), which includes the answer`;
  return { path: '/providerOptions/anthropic/thinking', message };
}

/** The tokens that the provider of Anthropic's models adds to the output limit of a request. */
export function thinkingTokens({ anthropic = {} }: ProviderOptions): number {
  const { type, budgetTokens = THINKING_TOKENS } = isJsonObject(anthropic['thinking']) ? anthropic['thinking'] : {};
  return type === 'enabled' ? Number(budgetTokens) : 0;
}

/** The factor by which input costs more than its price: a requested cache has to be written first. */
export function inputPriceFactor({ anthropic = {} }: ProviderOptions): number {
  const cache = anthropic['cacheControl'];
  if (!isJsonObject(cache)) return 1;
  return CACHE_WRITE[String(cache['ttl'] ?? '5m')] ?? Math.max(...Object.values(CACHE_WRITE));
}
