import { z } from 'zod';
import { Fault } from '../model/fault.ts';
import type { ModelPrice } from '../model/model-price.ts';
import { Name } from '../model/name.ts';
import { parseNamed } from '../model/parse.ts';
import {
  type ForeignModel,
  type LanguageModel,
  type ModelProfile,
  type Models,
  OUTPUT_TOKENS_MAX,
  type PricedModel,
  type RetryPolicy,
} from '../ports/language-model.ts';
import { type Choice, choicesOf } from './desk/choices.ts';
import { RETRY_POLICY } from './desk/retry.ts';
import { assertKnown } from './known-options.ts';

export interface ModelProfileOptions {
  /** As the journal names it; the model's own name, where nothing is said. */
  readonly name?: string;
  /** Of one request. */
  readonly timeoutMs?: number;
  /** Left out, nothing is sent: many models accept only their own. */
  readonly temperature?: number;
  readonly outputTokensMax?: number;
  readonly answers?: AnswerOptions;
  /** Asked in this order where the model cannot answer, each at the price of the table or at its own. */
  readonly fallbacks?: readonly (LanguageModel | ForeignModel | Fallback)[];
  /** For a model that the price table does not know. */
  readonly price?: ModelPrice | 'free';
  /** What differs from four attempts with a wait of half a second that doubles. */
  readonly retry?: Partial<RetryPolicy>;
}

/** A model that is asked in the place of another, at a price of its own. */
interface Fallback {
  readonly model: LanguageModel | ForeignModel;
  readonly price: ModelPrice | 'free';
}

/** How answers are taken. */
export interface AnswerOptions {
  /** Whether the provider is asked to hold answers to a schema. Without, the schema is put into the prompt. */
  readonly structured?: boolean;
  /** Whether answers are taken piece by piece, for servers that hang up on long silences. */
  readonly streaming?: boolean;
}

/** A model, and how it is used. Whatever is wrong with either is said here. */
export type ModelProfiles = (model: LanguageModel | ForeignModel, options?: ModelProfileOptions) => ModelProfile;

const HOUR_MS = 3_600_000;

/** A dollar for a million tokens is a million. What is next to nothing was meant in dollars, and would bound nothing. */
const LEAST_PRICE = 1_000;
const IN_DOLLARS = 'is in millionths of a dollar for a million tokens: 2.5 dollars are 2500000';
const Amount = z
  .number()
  .nonnegative()
  .max(1e12)
  .refine((amount) => amount <= 0 || amount >= LEAST_PRICE, IN_DOLLARS);
const Price = z.strictObject({
  input: Amount,
  output: Amount,
  beyond: z.strictObject({ inputTokens: z.int().positive(), input: Amount, output: Amount }).exactOptional(),
});

const GivenPrice = z.union([z.literal('free'), Price], "is { input, output } or 'free'");

const Answers = z.strictObject({ structured: z.boolean().exactOptional(), streaming: z.boolean().exactOptional() });

const Retry = z.strictObject({
  attempts: z.int().positive().max(10).exactOptional(),
  baseMs: z.int().nonnegative().max(HOUR_MS).exactOptional(),
  jitter: z.number().min(0).max(1).exactOptional(),
  waitMsMax: z.int().nonnegative().max(HOUR_MS).exactOptional(),
});

const Options = z.strictObject({
  name: Name.exactOptional(),
  timeoutMs: z.int().positive().max(HOUR_MS).exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  outputTokensMax: z.int().positive().max(OUTPUT_TOKENS_MAX).exactOptional(),
  answers: Answers.exactOptional(),
  price: GivenPrice.exactOptional(),
  retry: Retry.exactOptional(),
});

const KNOWN: readonly string[] = [...Object.keys(Options.shape), 'fallbacks'];

const FREE: ModelPrice = Object.freeze({ input: 0, output: 0 });

/** Profiles of the models that can be reached with these means. */
export function modelProfiles(models: Models): ModelProfiles {
  return (model, options = {}) => {
    assertKnown('modelProfile', options, KNOWN);
    assertKnown('modelProfile: answers', options.answers, Object.keys(Answers.shape));
    assertKnown('modelProfile: retry', options.retry, Object.keys(Retry.shape));
    const { fallbacks = [], ...plain } = options;
    parseNamed('the model profile', Options, plain, 'input_invalid');
    if (!Array.isArray(fallbacks))
      throw new Fault('input_invalid', 'fallbacks is a list of models', { path: '/fallbacks' });
    const others = fallbacks.map(priced);
    const { timeoutMs = 20_000, temperature = null, outputTokensMax = 4_096, answers = {}, price } = options;
    const profile: ModelProfile = {
      name: options.name ?? 'unnamed',
      model,
      fallbacks: others,
      parameters: {
        temperature,
        outputTokensMax,
        structured: answers.structured ?? true,
        ...(answers.streaming === true ? { streaming: true } : {}),
      },
      timeoutMs,
      price: price === undefined ? null : amountOf(price),
      retry: { ...RETRY_POLICY, ...options.retry },
    };
    const [first, ...next] = choicesOf(models, profile).map(connected);
    if (first === undefined) throw new Fault('model_misconfigured', 'a profile names a model');
    return Object.freeze({ ...profile, ...first, name: options.name ?? first.model.id, fallbacks: next });
  };
}

const amountOf = (price: ModelPrice | 'free'): ModelPrice => (price === 'free' ? FREE : price);

function priced(
  named: LanguageModel | ForeignModel | Fallback,
  place: number,
): LanguageModel | ForeignModel | PricedModel {
  if (typeof named !== 'object' || named === null || !('model' in named)) return named;
  const at = `the model profile/fallbacks/${place}/price`;
  parseNamed(at, GivenPrice, named.price, 'input_invalid');
  return { model: named.model, price: amountOf(named.price) };
}

function connected(choice: Choice | Fault): Choice {
  if (Fault.is(choice)) throw choice;
  return choice;
}
