import type { Blob } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ModelCall, ModelRole } from '../model/model-call.ts';
import type { ModelPrice } from '../model/model-price.ts';
import { NO_COST, type ToolCost } from '../model/tool.ts';

/** What a model is shown. Only text: whatever it says is a stranger's value until somebody has parsed it. */
export interface ModelPrompt {
  readonly role: ModelRole;
  readonly template: { readonly name: string; readonly version: string };
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  /** The shape its answer must have; null for prose. */
  readonly schema: { readonly name: string; readonly json: JsonObject } | null;
}

export interface PromptMessage {
  readonly author: 'user' | 'assistant';
  readonly text: string;
}

/** What a provider says a request took; null for what it does not say. */
export interface ReportedUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

/** Something was taken, and nobody says how much. */
export const UNSAID: ReportedUsage = Object.freeze({ input_tokens: null, output_tokens: null });

/** One answer of one request. */
export interface ModelAnswer {
  readonly text: string;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
  readonly usage: ReportedUsage | null;
  /** The model as the provider names it in its answer. */
  readonly model: string;
}

/** How one request is made: fixed by the profile, and on record. */
export interface ModelParameters {
  readonly temperature: number | null;
  readonly outputTokensMax: number;
  /** The provider is asked to hold the answer to the schema; where it cannot, the schema is put into the prompt. */
  readonly structured: boolean;
  /** The answer is taken piece by piece and put together. It is the same answer. */
  readonly streaming?: boolean;
}

/** The most tokens that an answer may be asked to have; no provider offers as many. */
export const OUTPUT_TOKENS_MAX = 500_000;

/**
 * Characters of an answer. A token of text is about four of them, so what is longer was not made within any limit that can
 * be asked for, and is not taken.
 */
export const ANSWER_LENGTH_MAX: number = 4 * OUTPUT_TOKENS_MAX;

/**
 * What a request came to. Faults: `model_unreachable`, `model_overloaded`, `model_timeout`, `model_rejected`,
 * `model_misconfigured`; of these only the first three may be otherwise in a moment.
 */
export type Generated =
  | { readonly ok: true; readonly answer: ModelAnswer }
  | {
      readonly ok: false;
      readonly fault: Fault;
      /** What the provider asks to wait; 0 where it does not say. */
      readonly retryAfterMs: number;
      /** What it says it took all the same. Left out where nothing was taken. */
      readonly usage?: ReportedUsage;
    };

/** A connection to one model: one request, one answer, no retries of its own. It does not throw. */
export interface LanguageModel {
  /** As a manifest pins it: provider and model. */
  readonly id: string;
  /** Where the connection itself knows what it costs. */
  readonly price?: ModelPrice;
  generate(prompt: ModelPrompt, parameters: ModelParameters, signal: AbortSignal): Promise<Generated>;
}

/**
 * A model of the AI SDK, as far as this package has to know it: `openai('…')`, `anthropic('…')` and their like. It is
 * connected where an agent is put together.
 */
export interface ForeignModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

/** A model that stands in for another, at a price of its own. */
export interface PricedModel {
  readonly model: LanguageModel | ForeignModel;
  readonly price: ModelPrice;
}

/** How often a request is made, and how long is waited in between. */
export interface RetryPolicy {
  /** In all, the first one included. */
  readonly attempts: number;
  /** Before the second request; it doubles with each. */
  readonly baseMs: number;
  /** The share by which chance lengthens a wait, so that many runs do not come back at once. */
  readonly jitter: number;
  /** A provider that asks for a longer wait than this is not asked again. */
  readonly waitMsMax: number;
}

/** A model and how it is used: what a role is given. */
export interface ModelProfile {
  readonly name: string;
  readonly model: LanguageModel | ForeignModel;
  /** Asked in this order where the first cannot answer. Which one did is on record. */
  readonly fallbacks: readonly (LanguageModel | ForeignModel | PricedModel)[];
  readonly parameters: ModelParameters;
  /** Of one request. */
  readonly timeoutMs: number;
  /** Of the first model. Null: as the price table says. A model that nobody knows the price of is not asked. */
  readonly price: ModelPrice | null;
  /** Left out: four attempts, each wait twice the one before. */
  readonly retry?: RetryPolicy;
}

/** Which profile a part of an agent asks, as what, and with which prompt templates (`plan_first@1`): pinned by a run. */
export interface ModelUse {
  readonly role: ModelRole;
  readonly profile: ModelProfile;
  readonly templates: readonly string[];
}

/** A question that was answered, with everything it took to get there on record. `json` where a shape was asked for. */
export type Asked =
  | { readonly ok: true; readonly text: string; readonly json?: Json; readonly finish: ModelAnswer['finish'] }
  | { readonly ok: false; readonly fault: Fault };

/**
 * Where roles ask models. It retries, falls back, keeps to the allowance, meters and records; a role only writes prompts
 * and reads answers. What was spent is what the desk measured, never what a role or a model says.
 */
export interface ModelDesk {
  ask(profile: ModelProfile, prompt: ModelPrompt): Promise<Asked>;
  /** What may still be spent on this question. */
  left(): ToolCost;
}

/** What models were asked at a desk, what they said, and what that took. */
export interface DeskAccount {
  readonly calls: readonly ModelCall[];
  /** Prompts and answers, each under its address. */
  readonly blobs: readonly Blob[];
  readonly spent: ToolCost;
}

/** Opens a desk for one question of a run, with what may be spent on it. */
export type OpenDesk = (
  allowance: ToolCost,
  signal: AbortSignal,
) => { readonly desk: ModelDesk; account(): DeskAccount };

/** What the machine knows of models: how to reach them, what they cost, how long a text is to them. */
export interface Models {
  connect(model: LanguageModel | ForeignModel): LanguageModel;
  priceOf(id: string): ModelPrice | null;
  countTokens(text: string): number;
}

/** Where no model can be asked. */
export const NO_MODELS: ModelDesk = Object.freeze<ModelDesk>({
  ask: async () => ({ ok: false, fault: new Fault('model_misconfigured', 'no model can be asked from here') }),
  left: () => NO_COST,
});
