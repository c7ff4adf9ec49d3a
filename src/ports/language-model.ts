import type { Blob } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { ModelCall, ModelRole } from '../model/model-call.ts';
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

/** One answer of one request. */
export interface ModelAnswer {
  readonly text: string;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
  /** What the provider says it took; null where it says nothing. */
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
  /** The model as the provider names it in its answer. */
  readonly model: string;
}

/** How one request is made: fixed by the profile, and on record. */
export interface ModelParameters {
  readonly temperature: number | null;
  readonly outputTokensMax: number;
  /** The provider is asked to hold the answer to the schema; where it cannot, the schema is put into the prompt. */
  readonly structured: boolean;
}

/**
 * What a request came to. Faults: `model_unreachable`, `model_overloaded`, `model_timeout`, `model_rejected`,
 * `model_misconfigured`; of these only the first three may be otherwise in a moment.
 */
export type Generated =
  | { readonly ok: true; readonly answer: ModelAnswer }
  | {
      readonly ok: false;
      readonly fault: Fault /** What the provider asks to wait; 0 where it does not say. */;
      readonly retryAfterMs: number;
    };

/** A connection to one model: one request, one answer, no retries of its own. It does not throw. */
export interface LanguageModel {
  /** As a manifest pins it: provider and model. */
  readonly id: string;
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

/** In millionths of a dollar for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
}

/** A model and how it is used: what a role is given. */
export interface ModelProfile {
  readonly name: string;
  readonly model: LanguageModel | ForeignModel;
  /** Asked in this order where the first cannot answer. Which one did is on record. */
  readonly fallbacks: readonly (LanguageModel | ForeignModel)[];
  readonly parameters: ModelParameters;
  /** Of one request. */
  readonly timeoutMs: number;
  /** Null: taken from the price table, or free where the table does not know the model and the host says so. */
  readonly price: ModelPrice | null;
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
