import type { ModelCall, ModelRole } from '../../model/budget/model-call.ts';
import type { ModelPrice } from '../../model/budget/model-price.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Blob } from '../../model/json/blob.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { ProviderOptions } from './provider-options.ts';

/** The input of a model. It is text only, and the answer is untrusted until parsed. */
export interface ModelPrompt {
  readonly role: ModelRole;
  readonly template: { readonly name: string; readonly version: string };
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  /** The schema that the answer must match; null for prose. */
  readonly schema: { readonly name: string; readonly json: JsonObject } | null;
}

export interface PromptMessage {
  readonly author: 'user' | 'assistant';
  readonly text: string;
}

/** The usage that a provider reports; null for a figure that it does not report. */
export interface ReportedUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

/** Tokens were used, but the provider reports no figures. */
export const UNREPORTED_USAGE: ReportedUsage = Object.freeze({ input_tokens: null, output_tokens: null });

export interface ModelAnswer {
  readonly text: string;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
  readonly usage: ReportedUsage | null;
  /** The model's name in the provider's answer. */
  readonly model: string;
}

/** The parameters of a request. The profile fixes them, and they are recorded. */
export interface ModelParameters {
  readonly temperature: number | null;
  readonly outputTokensMax: number;
  /** The provider enforces the schema; if it cannot, the schema is put into the prompt. */
  readonly structured: boolean;
  /** The answer is streamed and assembled. The result is the same. */
  readonly streaming?: boolean;
  readonly providerOptions?: ProviderOptions;
}

/** The upper limit for `outputTokensMax`; more than any provider offers. */
export const OUTPUT_TOKENS_MAX = 500_000;

/**
 * The maximum length of an answer in characters. A token is about four characters, so a longer answer exceeds every
 * limit that a request can set and is rejected.
 */
export const ANSWER_LENGTH_MAX: number = 4 * OUTPUT_TOKENS_MAX;

/**
 * The result of a request. Faults: `model_unreachable`, `model_overloaded`, `model_timeout`, `model_rejected`,
 * `model_misconfigured`. Only the first three are worth a retry.
 */
export type Generated =
  | { readonly ok: true; readonly answer: ModelAnswer }
  | {
      readonly ok: false;
      readonly fault: Fault;
      /** The wait that the provider requests; 0 if none. */
      readonly retryAfterMs: number;
      /** The usage reported for the failed request. Left out if nothing was used. */
      readonly usage?: ReportedUsage;
    };

/** A connection to one model: one request, one answer, no retries. It does not throw. */
export interface LanguageModel {
  /** Provider and model, as pinned in a manifest. */
  readonly id: string;
  /** Present if the connection knows its own price. */
  readonly price?: ModelPrice;
  generate(prompt: ModelPrompt, parameters: ModelParameters, signal: AbortSignal): Promise<Generated>;
}

/**
 * A model of the AI SDK, such as `openai('…')` or `anthropic('…')`, reduced to the members that this package uses. It
 * is connected when an agent is assembled.
 */
export interface ForeignModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

/** A fallback model with its own price. */
export interface PricedModel {
  readonly model: LanguageModel | ForeignModel;
  readonly price: ModelPrice;
}

/** The number of attempts per request and the waits between them. */
export interface RetryPolicy {
  /** The total number of attempts, including the first. */
  readonly attempts: number;
  /** The wait before the second attempt; it doubles each time. */
  readonly baseMs: number;
  /** The fraction by which a wait is randomly lengthened, so that many runs do not retry at the same moment. */
  readonly jitter: number;
  /** If a provider requests a longer wait than this, the request is not repeated. */
  readonly waitMsMax: number;
}

export interface ModelProfile {
  readonly name: string;
  readonly model: LanguageModel | ForeignModel;
  /** Tried in this order if the first model cannot answer. The model that answered is recorded. */
  readonly fallbacks: readonly (LanguageModel | ForeignModel | PricedModel)[];
  readonly parameters: ModelParameters;
  /** The time limit of one request. Default: 20 seconds. A planner's `plannerTimeouts` limit all of its requests. */
  readonly requestTimeoutMs?: number;
  /** The price of the first model; null takes it from the price table. A model without a known price is not asked. */
  readonly price: ModelPrice | null;
  /** Default: four attempts, doubling waits. */
  readonly retry?: RetryPolicy;
}

/** A model profile that a part of an agent uses, its role, and its prompt templates (`plan_first@1`). Runs pin it. */
export interface ModelUse {
  readonly role: ModelRole;
  readonly profile: ModelProfile;
  readonly templates: readonly string[];
}

/** The result of a question. `json` is present if the prompt has a schema. */
export type ModelRequest =
  | { readonly ok: true; readonly text: string; readonly json?: Json; readonly finish: ModelAnswer['finish'] }
  | { readonly ok: false; readonly fault: Fault };

/**
 * The client through which roles ask models. It retries, falls back, enforces the allowance, meters and records; a role
 * only writes prompts and reads answers. The cost is what the client measures, never what a role or a model reports.
 */
export interface ModelClient {
  ask(profile: ModelProfile, prompt: ModelPrompt): Promise<ModelRequest>;
  /** The part of the allowance that is left for this question. */
  left(): ToolCost;
  /** The input tokens of a prompt, as they are reserved before it is asked. */
  sizeOf(prompt: ModelPrompt): number;
}

/** The recorded model calls of one client, with their cost. */
export interface ModelAccount {
  readonly calls: readonly ModelCall[];
  /** Prompts and answers, by address. */
  readonly blobs: readonly Blob[];
  readonly spent: ToolCost;
}

/** Opens a model client for one question of a run, with its allowance. */
export type OpenModelClient = (
  allowance: ToolCost,
  signal: AbortSignal,
) => { readonly client: ModelClient; account(): ModelAccount };

/** Connections to models, their prices, and a token counter. */
export interface Models {
  connect(model: LanguageModel | ForeignModel): LanguageModel;
  priceOf(id: string): ModelPrice | null;
  countTokens(text: string): number;
  /** Whether the model is known not to reason before it answers. Reasoning counts as output. */
  isPlain?(id: string): boolean;
}

/** A client that refuses every question. */
export const NO_MODELS: ModelClient = Object.freeze<ModelClient>({
  ask: async () => ({ ok: false, fault: new Fault('model_misconfigured', 'no model can be asked from here') }),
  left: () => NO_COST,
  sizeOf: () => 0,
});

/** Error codes of Node.js and its `fetch` for a connection that failed or broke off. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const TIMEOUT_CODES: ReadonlySet<string> = new Set(['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Limits how many causes are followed, because a chain of causes can be circular. */
const CAUSES_MAX = 8;

/**
 * Classifies an error thrown by a model connection. A failed connection and a timeout are worth a retry; any other
 * error, such as a type error, is not.
 */
export function toModelFault(error: unknown): Fault {
  if (Fault.is(error)) return error;
  const because = (code: 'model_timeout' | 'model_unreachable' | 'model_rejected'): Fault =>
    new Fault(code, reasonOf(error), { cause: error });
  const causes = causesOf(error);
  if (causes.some(isTimeout)) return because('model_timeout');
  return because(causes.some(isConnection) ? 'model_unreachable' : 'model_rejected');
}

/** The error and its causes, outermost first. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < CAUSES_MAX; each = each.cause) causes.push(each);
  return causes;
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

const isTimeout = (error: Error): boolean =>
  error.name === 'TimeoutError' || error.name === 'AbortError' || TIMEOUT_CODES.has(codeOf(error));

const isConnection = (error: Error): boolean =>
  CONNECTION_CODES.has(codeOf(error)) || (error instanceof TypeError && error.message === 'fetch failed');
