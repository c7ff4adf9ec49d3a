import type { ModelPrice } from '../../../model/budget/model-price.ts';

/*
 * Prices of the public table of LiteLLM as of 2026-08-08, not checked against the providers' own pages. They exclude
 * discounts for caches and batches, and the surcharge for cache writes, which are never requested here.
 */
const MICROUSD = 1_000_000;

/** Dollars per million input and output tokens. */
const usd = (input: number, output: number): ModelPrice => ({
  input: Math.round(input * MICROUSD),
  output: Math.round(output * MICROUSD),
});

/** A price that doubles for input and rises by half for output once a prompt exceeds `inputTokens`. */
const usdByLength = (inputTokens: number, input: number, output: number): ModelPrice => {
  const beyond = usd(input * 2, output * 1.5);
  return { ...usd(input, output), beyond: { inputTokens, input: beyond.input, output: beyond.output } };
};

type PriceList = Readonly<Record<string, ModelPrice>>;

const OPENAI: PriceList = {
  'gpt-4o': usd(2.5, 10),
  'gpt-4o-mini': usd(0.15, 0.6),
  'gpt-4.1': usd(2, 8),
  'gpt-4.1-mini': usd(0.4, 1.6),
  'gpt-4.1-nano': usd(0.1, 0.4),
  'gpt-5': usd(1.25, 10),
  'gpt-5-chat': usd(1.25, 10),
  'gpt-5-codex': usd(1.25, 10),
  'gpt-5-mini': usd(0.25, 2),
  'gpt-5-nano': usd(0.05, 0.4),
  'gpt-5-pro': usd(15, 120),
  'gpt-5.1': usd(1.25, 10),
  'gpt-5.1-chat': usd(1.25, 10),
  'gpt-5.1-codex': usd(1.25, 10),
  'gpt-5.1-codex-max': usd(1.25, 10),
  'gpt-5.1-codex-mini': usd(0.25, 2),
  'gpt-5.2': usd(1.75, 14),
  'gpt-5.2-chat': usd(1.75, 14),
  'gpt-5.2-codex': usd(1.75, 14),
  'gpt-5.2-pro': usd(21, 168),
  'gpt-5.3-chat': usd(1.75, 14),
  'gpt-5.3-codex': usd(1.75, 14),
  'gpt-5.4': usdByLength(272_000, 2.5, 15),
  'gpt-5.4-mini': usd(0.75, 4.5),
  'gpt-5.4-nano': usd(0.2, 1.25),
  'gpt-5.4-pro': usdByLength(272_000, 30, 180),
  'gpt-5.5': usdByLength(272_000, 5, 30),
  'gpt-5.5-pro': usdByLength(272_000, 30, 180),
  'gpt-5.6': usdByLength(272_000, 5, 30),
  'gpt-5.6-luna': usdByLength(272_000, 0.2, 1.2),
  'gpt-5.6-sol': usdByLength(272_000, 5, 30),
  'gpt-5.6-terra': usdByLength(272_000, 2, 12),
  o1: usd(15, 60),
  'o1-pro': usd(150, 600),
  o3: usd(2, 8),
  'o3-mini': usd(1.1, 4.4),
  'o3-pro': usd(20, 80),
  'o4-mini': usd(1.1, 4.4),
};

const ANTHROPIC: PriceList = {
  'claude-haiku-4-5': usd(1, 5),
  'claude-sonnet-4-5': usdByLength(200_000, 3, 15),
  'claude-sonnet-4-6': usd(3, 15),
  'claude-sonnet-5': usd(2, 10),
  'claude-opus-4-1': usd(15, 75),
  'claude-opus-4-5': usd(5, 25),
  'claude-opus-4-6': usd(5, 25),
  'claude-opus-4-7': usd(5, 25),
  'claude-opus-4-8': usd(5, 25),
  'claude-opus-5': usd(5, 25),
  'claude-fable-5': usd(10, 50),
  // Newer than the table: from the provider's own pages, read on 2026-11-15.
  'claude-sonnet-5-5': usd(2, 10),
  'claude-opus-5-5': usd(4, 20),
};

const GOOGLE: PriceList = {
  'gemini-2.5-flash': usd(0.3, 2.5),
  'gemini-2.5-flash-lite': usd(0.1, 0.4),
  'gemini-2.5-pro': usdByLength(200_000, 1.25, 10),
  'gemini-3-flash': usd(0.5, 3),
  'gemini-3-pro': usdByLength(200_000, 2, 12),
  'gemini-3.1-flash-lite': usd(0.25, 1.5),
  'gemini-3.1-pro': usdByLength(200_000, 2, 12),
  'gemini-3.5-flash': usd(1.5, 9),
  'gemini-3.5-flash-lite': usd(0.3, 2.5),
  'gemini-3.6-flash': usd(1.5, 7.5),
};

const MISTRAL: PriceList = {
  codestral: usd(1, 3),
  'devstral-medium': usd(0.4, 2),
  'devstral-small': usd(0.1, 0.3),
  'magistral-medium': usd(2, 5),
  'magistral-small': usd(0.5, 1.5),
  'ministral-8b': usd(0.15, 0.15),
  'mistral-large': usd(0.5, 1.5),
  'mistral-large-3': usd(0.5, 1.5),
  'mistral-medium-3-5': usd(1.5, 7.5),
  'open-mistral-nemo': usd(0.3, 0.3),
  'pixtral-large': usd(2, 6),
};

/** By the first part of the provider name, such as `openai.responses` or `anthropic.messages`. */
const VENDORS: Readonly<Record<string, PriceList>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  google: GOOGLE,
  mistral: MISTRAL,
};

/** Suffixes that do not change the price: a date, `latest` or `preview`. */
const EDITION = /-(?:latest|preview|\d{4}-\d{2}-\d{2}|\d{8})$/u;

/** Returns null for a model that is not in the table. Similar names are not matched, because their price may differ. */
export function priceOf(id: string): ModelPrice | null {
  const { vendor, model } = partsOf(id);
  const list = Object.hasOwn(VENDORS, vendor) ? VENDORS[vendor] : undefined;
  return findPrice(list, model) ?? findPrice(list, model.replace(EDITION, ''));
}

/** Splits `openai.responses/gpt-5` into `openai` and `gpt-5`. */
function partsOf(id: string): { readonly vendor: string; readonly model: string } {
  const slash = id.indexOf('/');
  return { vendor: id.slice(0, slash).split('.')[0] ?? '', model: id.slice(slash + 1) };
}

/** Models that do not reason before they answer, with any option. */
const PLAIN: ReadonlySet<string> = new Set([
  'openai/gpt-4o',
  'openai/gpt-4o-mini',
  'openai/gpt-4.1',
  'openai/gpt-4.1-mini',
  'openai/gpt-4.1-nano',
  'openai/gpt-5-chat',
  'mistral/codestral',
  'mistral/devstral-medium',
  'mistral/devstral-small',
  'mistral/ministral-8b',
  'mistral/mistral-large',
  'mistral/mistral-large-3',
  'mistral/open-mistral-nemo',
  'mistral/pixtral-large',
]);

export function isPlain(id: string): boolean {
  const { vendor, model } = partsOf(id);
  return PLAIN.has(`${vendor}/${model.replace(EDITION, '')}`);
}

const findPrice = (list: PriceList | undefined, model: string): ModelPrice | null =>
  list !== undefined && Object.hasOwn(list, model) ? (list[model] ?? null) : null;
