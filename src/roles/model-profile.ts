import { z } from 'zod';
import type { ModelPrice } from '../model/budget/model-price.ts';
import { Fault } from '../model/fault/fault.ts';
import { exact, exactObject } from '../model/json/exact.ts';
import { Name } from '../model/json/name.ts';
import { parseNamed } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import {
  type ForeignModel,
  type LanguageModel,
  type ModelParameters,
  type ModelProfile,
  type Models,
  OUTPUT_TOKENS_MAX,
  type PricedModel,
  type RetryPolicy,
} from '../ports/model/language-model.ts';
import { type TimeLimited, timeFault } from '../ports/model/model-roles.ts';
import { choicesOf, type RepairChoice } from './client/model-choices.ts';
import { RETRY_POLICY } from './client/retry.ts';

export interface ModelProfileOptions {
  /** The name in the journal. Default: the name of the model. */
  readonly name?: string;
  /** The timeout of one request. */
  readonly timeoutMs?: number;
  /** Default: not sent, because many models accept only their own default. */
  readonly temperature?: number;
  /** The longest answer, reasoning included. Default: 8,192 tokens, or 4,096 for models that do not reason. */
  readonly outputTokensMax?: number;
  readonly answers?: AnswerOptions;
  /** Tried in this order if the model cannot answer, each at its own price or that of the price table. */
  readonly fallbacks?: readonly (LanguageModel | ForeignModel | Fallback)[];
  /** For a model that is not in the price table. */
  readonly price?: ModelPrice | 'free';
  /** Overrides of the default policy: four attempts with a doubling wait of half a second. */
  readonly retry?: Partial<RetryPolicy>;
}

/** A fallback model with its own price. */
interface Fallback {
  readonly model: LanguageModel | ForeignModel;
  readonly price: ModelPrice | 'free';
}

export interface AnswerOptions {
  /** Whether the provider enforces the answer schema. If false, the schema is put into the prompt. */
  readonly structured?: boolean;
  /** Whether answers are streamed, for servers that close idle connections. */
  readonly streaming?: boolean;
}

/** Creates a profile from a model and options, and refuses invalid ones. */
export type ModelProfiles = (model: LanguageModel | ForeignModel, options?: ModelProfileOptions) => ModelProfile;

/** The default of `outputTokensMax`: enough for reasoning and a plan. */
const OUTPUT_TOKENS = 8_192;
/** The default for models that are known not to reason. */
const PLAIN_OUTPUT_TOKENS = 4_096;

const HOUR_MS = 3_600_000;

/**
 * Prices are in microdollars per million tokens: one dollar is 1000000. A smaller amount was probably meant in dollars
 * and would limit nothing.
 */
const LEAST_PRICE = 1_000;
const IN_DOLLARS = 'is in millionths of a dollar for a million tokens: 2.5 dollars are 2500000';
const Amount = z
  .number()
  .nonnegative()
  .max(1e12)
  .refine((amount) => amount <= 0 || amount >= LEAST_PRICE, IN_DOLLARS);
const Price: z.ZodType<ModelPrice> = exactObject({
  input: Amount,
  output: Amount,
  beyond: z.strictObject({ inputTokens: z.int().positive(), input: Amount, output: Amount }).exactOptional(),
});

const PriceOption: z.ZodType<ModelPrice | 'free'> = exact(
  z.union([z.literal('free'), Price], "is { input, output } or 'free'"),
);

const ANSWERS = { structured: z.boolean().exactOptional(), streaming: z.boolean().exactOptional() };
const Answers: z.ZodType<AnswerOptions> = exactObject(ANSWERS);

const RETRY = {
  attempts: z.int().positive().max(10).exactOptional(),
  baseMs: z.int().nonnegative().max(HOUR_MS).exactOptional(),
  jitter: z.number().min(0).max(1).exactOptional(),
  waitMsMax: z.int().nonnegative().max(HOUR_MS).exactOptional(),
};
const Retry: z.ZodType<Partial<RetryPolicy>> = exactObject(RETRY);

const OPTIONS = {
  name: Name.exactOptional(),
  timeoutMs: z.int().positive().max(HOUR_MS).exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  outputTokensMax: z.int().positive().max(OUTPUT_TOKENS_MAX).exactOptional(),
  answers: Answers.exactOptional(),
  price: PriceOption.exactOptional(),
  retry: Retry.exactOptional(),
};
const Options: z.ZodType<Omit<ModelProfileOptions, 'fallbacks'>> = exactObject(OPTIONS);

const KNOWN: readonly string[] = [...Object.keys(OPTIONS), 'fallbacks'];

const FREE: ModelPrice = Object.freeze({ input: 0, output: 0 });

export function modelProfiles(models: Models): ModelProfiles {
  return (model, options = {}) => {
    assertKnownOptions('modelProfile', options, KNOWN);
    assertKnownOptions('modelProfile: answers', options.answers, Object.keys(ANSWERS));
    assertKnownOptions('modelProfile: retry', options.retry, Object.keys(RETRY));
    const { fallbacks = [], ...plain } = options;
    parseNamed('the model profile', Options, plain, 'input_invalid');
    if (!Array.isArray(fallbacks))
      throw new Fault('input_invalid', 'fallbacks is a list of models', { path: '/fallbacks' });
    const price = options.price === undefined ? null : amountOf(options.price);
    const named = { model, price, fallbacks: fallbacks.map(priced) };
    const [first, ...next] = choicesOf(models, named).map(connected);
    if (first === undefined) throw new Fault('model_misconfigured', 'a profile names a model');
    return Object.freeze({
      ...first,
      name: options.name ?? first.model.id,
      fallbacks: next,
      parameters: parametersOf(options, outputTokens(models, [first, ...next])),
      timeoutMs: options.timeoutMs ?? 20_000,
      retry: { ...RETRY_POLICY, ...options.retry },
    });
  };
}

function parametersOf(options: ModelProfileOptions, outputTokensDefault: number): ModelParameters {
  const { temperature = null, outputTokensMax = outputTokensDefault, answers = {} } = options;
  return {
    temperature,
    outputTokensMax,
    structured: answers.structured ?? true,
    ...(answers.streaming === true ? { streaming: true } : {}),
  };
}

const outputTokens = (models: Models, choices: readonly RepairChoice[]): number =>
  choices.every(({ model }) => models.isPlain?.(model.id) === true) ? PLAIN_OUTPUT_TOKENS : OUTPUT_TOKENS;

const amountOf = (price: ModelPrice | 'free'): ModelPrice => (price === 'free' ? FREE : price);

function priced(
  named: LanguageModel | ForeignModel | Fallback,
  place: number,
): LanguageModel | ForeignModel | PricedModel {
  if (typeof named !== 'object' || named === null || !('model' in named)) return named;
  const at = `the model profile/fallbacks/${place}/price`;
  parseNamed(at, PriceOption, named.price, 'input_invalid');
  return { model: named.model, price: amountOf(named.price) };
}

function connected(choice: RepairChoice | Fault): RepairChoice {
  if (Fault.is(choice)) throw choice;
  return choice;
}

/** Refuses an option that is no model object. A name does not tell the provider package or the API key. */
export function assertModel(of: string, option: string, options: unknown): void {
  const isRecord = typeof options === 'object' && options !== null;
  const model: unknown = isRecord ? Reflect.get(options, option) : undefined;
  if (typeof model === 'object' && model !== null) return;
  const give = `${of}: ${option} is a model of the AI SDK, such as openai('gpt-5.4'), or a modelProfile`;
  if (model === undefined || model === null) throw new Fault('input_missing', give, { path: `/${option}` });
  const shown = typeof model === 'string' ? `the name ${printable(JSON.stringify(model))}` : `a ${typeof model}`;
  throw new Fault('input_invalid', `${give}, not ${shown}`, { path: `/${option}` });
}

/** Refuses an option that is no whole number between two limits. */
export function assertWithin(of: string, name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const message = `${of}: ${name} is a whole number from ${least} to ${most}, not ${String(value)}`;
  throw new Fault('input_invalid', message, { path: `/${name}` });
}

/** Refuses unknown options, because a misspelt limit would not apply. Ignores values that are not objects. */
export function assertKnownOptions(of: string, options: unknown, known: readonly string[]): void {
  const keys = typeof options === 'object' && options !== null ? Object.keys(options) : [];
  const unknownKeys = keys.filter((key) => !known.includes(key));
  const [first] = unknownKeys;
  if (first === undefined) return;
  const message = `${of}: there is no option ${printable(unknownKeys.join(', '))}; there are ${known.join(', ')}`;
  throw new Fault('input_invalid', message, { path: pointerToken(first) });
}

/** Options of a role that consists of one model. */
export interface ModelRoleOptions extends TimeLimited {
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: ModelOption;
}

/** Validates the options of a role. `of` is the name of the role in fault messages. */
export function modelRole(
  profiles: ModelProfiles,
  of: string,
  options: ModelRoleOptions,
): { readonly profile: ModelProfile; readonly time: TimeLimited } {
  assertKnownOptions(of, options, ['model', 'timeoutMs']);
  return { profile: profileOf(profiles, of, 'model', options.model), time: timeOf(of, options) };
}

/** A model of the AI SDK, a connected model, or a profile that configures its use. */
export type ModelOption = LanguageModel | ForeignModel | ModelProfile;

/** The profile for a model option. `of` and `option` appear in the fault if it is no model. */
export function profileOf(profiles: ModelProfiles, of: string, option: string, model: ModelOption): ModelProfile {
  assertModel(of, option, { [option]: model });
  return 'parameters' in model ? model : profiles(model);
}

/** Validates and returns the timeout of a role; empty if there is none. */
export function timeOf(of: string, { timeoutMs }: TimeLimited): TimeLimited {
  const fault = timeFault(of, '', { timeoutMs });
  if (fault !== null) throw fault;
  return timeoutMs === undefined ? {} : { timeoutMs };
}
