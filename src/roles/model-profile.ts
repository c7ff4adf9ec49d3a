import { z } from 'zod';
import type { ModelPrice } from '../model/budget/model-price.ts';
import { Fault } from '../model/fault/fault.ts';
import { exact, exactObject, JsonRecord } from '../model/json/exact.ts';
import { Name } from '../model/json/name.ts';
import { parseNamed } from '../model/json/parse.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import { takeJson } from '../model/json/take-json.ts';
import { unknownNames } from '../model/text/nearest.ts';
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
import { inputPriceFactor, optionsProblem, type ProviderOptions } from '../ports/model/provider-options.ts';
import { choicesOf, type RepairChoice } from './client/model-choices.ts';
import { RETRY_POLICY } from './client/retry.ts';

export interface ModelProfileOptions {
  /** The name in the journal. Default: the name of the model. */
  readonly name?: string;
  /** The time limit of one request. Default: 20 seconds. `world.plannerTimeouts` limit the planning with all its requests. */
  readonly requestTimeoutMs?: number;
  /** Default: not sent, because many models accept only their own default. */
  readonly temperature?: number;
  /** The longest answer, reasoning included. Default: 8,192 tokens, or 4,096 for models that do not reason. */
  readonly outputTokensMax?: number;
  /** Options for the provider, by provider name, such as `{ anthropic: { effort: 'low' } }`. They are recorded. */
  readonly providerOptions?: ProviderOptions;
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
  requestTimeoutMs: z.int().positive().max(HOUR_MS).exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  outputTokensMax: z.int().positive().max(OUTPUT_TOKENS_MAX).exactOptional(),
  providerOptions: z.record(Name, JsonRecord).exactOptional(),
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
      ...withCachePrice(first, options),
      name: options.name ?? first.model.id,
      fallbacks: next.map((choice) => withCachePrice(choice, options)),
      parameters: parametersOf(options, outputTokens(models, [first, ...next])),
      ...(options.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: options.requestTimeoutMs }),
      retry: { ...RETRY_POLICY, ...options.retry },
    });
  };
}

function parametersOf(options: ModelProfileOptions, outputTokensDefault: number): ModelParameters {
  const { temperature = null, outputTokensMax = outputTokensDefault, answers = {}, providerOptions } = options;
  const problem = optionsProblem(providerOptions ?? {}, outputTokensMax);
  if (problem !== null) throw new Fault('input_invalid', `modelProfile: ${problem.message}`, { path: problem.path });
  return {
    temperature,
    outputTokensMax,
    structured: answers.structured ?? true,
    ...(answers.streaming === true ? { streaming: true } : {}),
    ...(providerOptions === undefined ? {} : { providerOptions: takeJson(providerOptions) as ProviderOptions }),
  };
}

/** Raises the price of input if the options ask for a cache: each token may have to be written to it. */
function withCachePrice({ model, price }: RepairChoice, { providerOptions = {} }: ModelProfileOptions): RepairChoice {
  const factor = inputPriceFactor(providerOptions);
  const raised = { ...price, input: price.input * factor };
  const { beyond } = price;
  return {
    model,
    price: beyond === undefined ? raised : { ...raised, beyond: { ...beyond, input: beyond.input * factor } },
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
  if (typeof options !== 'object' || options === null) return;
  const unknown = unknownNames(options, known);
  if (unknown === null) return;
  throw new Fault('input_invalid', `${of}: ${unknown.message}`, { path: pointerToken(unknown.first) });
}

/** Options of a role that consists of one model. */
export interface ModelRoleOptions extends TimeLimited {
  /** A model of the AI SDK, or a profile that configures its use. */
  readonly model: ModelOption;
  /** Options for the provider of a model without a profile. */
  readonly providerOptions?: ProviderOptions;
}

/** Validates the options of a role. `of` is the name of the role in fault messages. */
export function modelRole(
  profiles: ModelProfiles,
  of: string,
  options: ModelRoleOptions,
): { readonly profile: ModelProfile; readonly time: TimeLimited } {
  assertKnownOptions(of, options, ['model', 'providerOptions', 'timeoutMs']);
  const { model, providerOptions } = options;
  return { profile: profileOf(profiles, of, 'model', model, providerOptions), time: timeOf(of, options) };
}

/** A model of the AI SDK, a connected model, or a profile that configures its use. */
export type ModelOption = LanguageModel | ForeignModel | ModelProfile;

/** The profile for a model option. `of` and `option` appear in the fault if it is no model. */
export function profileOf(
  profiles: ModelProfiles,
  of: string,
  option: string,
  model: ModelOption,
  providerOptions?: ProviderOptions,
): ModelProfile {
  assertModel(of, option, { [option]: model });
  if (!('parameters' in model)) return profiles(model, providerOptions === undefined ? {} : { providerOptions });
  if (providerOptions === undefined) return model;
  const message = `${of}: providerOptions belong to the profile: set them in modelProfile(model, { providerOptions })`;
  throw new Fault('input_invalid', message, { path: '/providerOptions' });
}

/** Validates and returns the timeout of a role; empty if there is none. */
export function timeOf(of: string, { timeoutMs }: TimeLimited): TimeLimited {
  const fault = timeFault(of, '', { timeoutMs });
  if (fault !== null) throw fault;
  return timeoutMs === undefined ? {} : { timeoutMs };
}
