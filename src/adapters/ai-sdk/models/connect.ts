import { Fault } from '../../../model/fault/fault.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import { printable } from '../../../model/json/printable.ts';
import {
  ANSWER_LENGTH_MAX,
  type ForeignModel,
  type Generated,
  type LanguageModel,
  type ModelAnswer,
  type ModelParameters,
  type ModelPrompt,
  type ReportedUsage,
  UNREPORTED_USAGE,
} from '../../../ports/model/language-model.ts';
import { optionsProblem, type ProviderOptions, thinkingTokens } from '../../../ports/model/provider-options.ts';
import { providerFault } from './provider-fault.ts';

/** The supported versions of the AI SDK's model interface. They do not differ in the parts used here. */
const VERSIONS: readonly string[] = ['v3', 'v4'];

interface Sdk {
  doGenerate(options: CallOptions): PromiseLike<Result>;
  doStream?(options: CallOptions): PromiseLike<unknown>;
}

/** Connects a model of the AI SDK. This needs only the provider's package, not the SDK itself. */
export function connect(model: LanguageModel | ForeignModel): LanguageModel {
  if (isConnected(model)) return model;
  assertModel(model);
  const sdk = model as unknown as Sdk;
  const id = modelName(`${model.provider}/${model.modelId}`, 'unnamed');
  // A provider package sets this to false if it would ignore the schema.
  const bySchema = field(model, 'supportsStructuredOutputs') !== false;
  return {
    id,
    generate: async (prompt, parameters, signal): Promise<Generated> => {
      const { providerOptions = {}, outputTokensMax } = parameters;
      const problem = optionsProblem(providerOptions, outputTokensMax);
      if (problem !== null)
        return { ok: false, fault: new Fault('model_misconfigured', `${id}: ${problem.message}`), retryAfterMs: 0 };
      const options = callOptions(prompt, parameters, bySchema, signal);
      let streams = false;
      try {
        const stream = parameters.streaming === true ? await sdk.doStream?.(options) : undefined;
        streams = stream !== undefined;
        const result = streams ? await collectStream(stream) : await sdk.doGenerate(options);
        const isDecision = prompt.role === 'planner' && prompt.schema !== null;
        return generatedFrom(id, result, options.responseFormat !== undefined, isDecision);
      } catch (error) {
        const failed = providerFault(id, error, Date.now());
        return streams ? { usage: UNREPORTED_USAGE, ...failed } : failed;
      }
    },
  };
}

const isConnected = (model: LanguageModel | ForeignModel): model is LanguageModel =>
  typeof field(model, 'generate') === 'function';

function assertModel(model: unknown): asserts model is ForeignModel {
  if (typeof model === 'string') {
    const [vendor = '', ...rest] = printable(model).split('/');
    const example = rest.length === 0 ? 'openai' : vendor;
    const message = `"${printable(model)}" is the name of a model behind a gateway: give the model itself, such as ${example}('…') from the provider's package`;
    throw new Fault('model_misconfigured', message);
  }
  if (typeof field(model, 'doGenerate') !== 'function' || typeof field(model, 'modelId') !== 'string') {
    throw new Fault('model_misconfigured', 'this is no language model: give one of the AI SDK, or a LanguageModel');
  }
  const version = field(model, 'specificationVersion');
  if (VERSIONS.includes(String(version))) return;
  const message = `${String(field(model, 'modelId'))} speaks version ${printable(String(version))} of the AI SDK's model interface; ${VERSIONS.join(' and ')} are understood here: update the provider's package`;
  throw new Fault('model_misconfigured', message);
}

/** The maximum number of tool calls that are read from one answer. */
const CALLS_MAX = 100;

/** Assembles a streamed answer into the equivalent non-streamed result. */
async function collectStream(streamed: unknown): Promise<Result> {
  const stream = field(streamed, 'stream');
  if (!(stream instanceof ReadableStream)) throw new TypeError('the model did not answer with a stream');
  let text = '';
  let finish: unknown;
  let response: unknown;
  const calls: unknown[] = [];
  // Leaving the loop early closes the connection.
  for await (const part of stream as ReadableStream<unknown>) {
    const type = field(part, 'type');
    if (type === 'error') throw errorOf(field(part, 'error'));
    if (type === 'text-delta') text += String(field(part, 'delta') ?? '');
    else if (type === 'tool-call' && calls.length < CALLS_MAX) calls.push(part);
    else if (type === 'response-metadata') response = part;
    else if (type === 'finish') finish = part;
    // One character too many is enough for the later length check.
    if (text.length > ANSWER_LENGTH_MAX) break;
  }
  return {
    content: [{ type: 'text', text }, ...calls],
    finishReason:
      finish === undefined && text.length <= ANSWER_LENGTH_MAX ? 'interrupted' : field(finish, 'finishReason'),
    usage: field(finish, 'usage'),
    response,
  };
}

/** The HTTP status that corresponds to an error inside a stream, where the response status is already sent. */
const STATUS: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
};

function errorOf(error: unknown): unknown {
  if (error instanceof Error) return error;
  const kind = field(error, 'code') ?? field(error, 'type');
  const message = field(error, 'message') ?? (typeof error === 'string' ? error : 'the provider reported an error');
  const statusCode = typeof kind === 'string' && Object.hasOwn(STATUS, kind) ? STATUS[kind] : 500;
  return Object.assign(new Error(String(message)), { statusCode });
}

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant'; readonly content: readonly TextPart[] };

/** The options of an AI SDK model that are used here: text only, no tools. */
interface CallOptions {
  readonly prompt: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly providerOptions?: ProviderOptions;
  readonly responseFormat?: { readonly type: 'json'; readonly schema: JsonObject; readonly name: string };
  readonly abortSignal: AbortSignal;
}

/** `bySchema`: whether this model can enforce a schema on its answers. */
function callOptions(
  prompt: ModelPrompt,
  parameters: ModelParameters,
  bySchema: boolean,
  abortSignal: AbortSignal,
): CallOptions {
  const { system, messages, schema } = prompt;
  const { temperature, outputTokensMax, structured, providerOptions } = parameters;
  const isEnforced = structured && bySchema && schema !== null;
  const systemText = schema === null || isEnforced ? system : withSchema(system, schema.json);
  const systemMessages: readonly Message[] = systemText === '' ? [] : [{ role: 'system', content: systemText }];
  return {
    prompt: [...systemMessages, ...messages.map(messageOf)],
    // The provider adds the thinking budget to this limit again.
    maxOutputTokens: outputTokensMax - thinkingTokens(providerOptions ?? {}),
    ...(temperature === null ? {} : { temperature }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(isEnforced ? { responseFormat: { type: 'json', schema: schema.json, name: schema.name } } : {}),
    abortSignal,
  };
}

const messageOf = ({ author, text }: ModelPrompt['messages'][number]): Message => ({
  role: author,
  content: [{ type: 'text', text }],
});

/** Puts the schema into the prompt if the provider cannot enforce it. */
function withSchema(system: string, schema: JsonObject): string {
  const asked = `Answer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
  return system === '' ? asked : `${system}\n\n${asked}`;
}

/** The result of an AI SDK model, streamed or not. All of it is untrusted. */
interface Result {
  readonly content?: unknown;
  readonly structuredOutputText?: unknown;
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly response?: unknown;
}

/**
 * Reads the answer of a provider. With `structured`, the provider may mark the text that matches the schema. With
 * `isDecision`, a planner asked, so tool calls are steps.
 */
function generatedFrom(id: string, result: Result, structured: boolean, isDecision: boolean): Generated {
  const usage = usageOf(result.usage);
  const finish = finishOf(result.finishReason);
  if (finish === 'broken') {
    const fault = new Fault('model_unreachable', `${id}: the provider broke off its answer`);
    return { ok: false, fault, retryAfterMs: 0, usage: usage ?? UNREPORTED_USAGE };
  }
  const { structuredOutputText: chosen } = result;
  const text = structured && typeof chosen === 'string' ? chosen : textOf(result.content, isDecision);
  return { ok: true, answer: { text, finish, usage, model: modelName(field(result.response, 'modelId'), id) } };
}

/** Returns the text without reasoning. If a planner asked, returns JSON with the tool calls as steps and the text. */
function textOf(content: unknown, isDecision: boolean): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = parts
    .filter((part) => field(part, 'type') === 'text')
    .map((part) => String(field(part, 'text') ?? ''))
    .join('');
  const calls = isDecision ? parts.filter((part) => field(part, 'type') === 'tool-call') : [];
  if (calls.length === 0) return text;
  const steps = calls.map((part) => ({ tool: field(part, 'toolName'), params: field(part, 'input') }));
  return JSON.stringify({ steps, answer: text });
}

function finishOf(reason: unknown): ModelAnswer['finish'] | 'broken' {
  const unified = typeof reason === 'string' ? reason : field(reason, 'unified');
  if (unified === 'stop' || unified === 'length') return unified;
  if (unified === 'content-filter') return 'refusal';
  return unified === 'error' || unified === 'interrupted' ? 'broken' : 'other';
}

function usageOf(usage: unknown): ReportedUsage | null {
  const input_tokens = count(field(field(usage, 'inputTokens'), 'total'));
  const output_tokens = count(field(field(usage, 'outputTokens'), 'total'));
  return input_tokens === null && output_tokens === null ? null : { input_tokens, output_tokens };
}

const count = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const NAME_LENGTH_MAX = 200;

/** Makes a model name valid for the journal: any other character than a letter, digit or `_.:@/-` becomes a dash. */
function modelName(name: unknown, fallback: string): string {
  const plain = typeof name === 'string' ? name.slice(0, NAME_LENGTH_MAX).replace(/[^A-Za-z0-9_.:@/-]/gu, '-') : '';
  return /^[A-Za-z0-9_]/u.test(plain) ? plain : fallback;
}
