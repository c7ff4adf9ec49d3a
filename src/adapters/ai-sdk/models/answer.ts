import { Fault } from '../../../model/fault.ts';
import { type Generated, type ModelAnswer, type ReportedUsage, UNSAID } from '../../../ports/language-model.ts';
import { modelName } from './model-name.ts';

/** What a model of the AI SDK came back with, in one piece or put together. All of it is a stranger's value. */
export interface Result {
  readonly content?: unknown;
  readonly structuredOutputText?: unknown;
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly response?: unknown;
}

/** `structured`: whether a shape was asked for, so that a provider may say which of its texts has it. */
export function generatedFrom(id: string, result: Result, structured: boolean): Generated {
  const usage = usageOf(result.usage);
  const finish = finishOf(result.finishReason);
  if (finish === 'broken') {
    const fault = new Fault('model_unreachable', `${id}: the provider broke off its answer`);
    return { ok: false, fault, retryAfterMs: 0, usage: usage ?? UNSAID };
  }
  const { structuredOutputText: chosen } = result;
  const text = structured && typeof chosen === 'string' ? chosen : textOf(result.content);
  return { ok: true, answer: { text, finish, usage, model: modelName(field(result.response, 'modelId'), id) } };
}

/** Only what was said: no reasoning, and no call of a tool, which nobody here would make. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .filter((part) => field(part, 'type') === 'text')
    .map((part) => String(field(part, 'text') ?? ''))
    .join('');
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

/** Read by name alone, whatever it is read from. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
