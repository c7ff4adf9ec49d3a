import { type Blob, toBlob } from '../../model/blob.ts';
import { canonicalize } from '../../model/canonical.ts';
import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import type { ModelCall, ModelOutcome } from '../../model/model-call.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Asked,
  Generated,
  LanguageModel,
  ModelProfile,
  ModelPrompt,
  Models,
  OpenDesk,
} from '../../ports/language-model.ts';
import type { Timer } from '../../ports/timer.ts';
import { readJson } from './read-json.ts';
import { chanceOf, type RetryPolicy, waitMs } from './retry.ts';
import { costOf, estimateOf, fitsIn, minus } from './spending.ts';

export interface DeskParts {
  readonly models: Models;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
}

/** The one place where models are asked. Everything that leaves for a model, and everything that comes back, is kept. */
export function deskOf(parts: DeskParts): OpenDesk {
  return (allowance, signal) => {
    const book = openBook();
    const left = (): ToolCost => minus(allowance, book.spent());
    return {
      desk: { left, ask: (profile, prompt) => ask({ ...parts, book, left, signal }, profile, prompt) },
      account: () => ({ calls: book.calls(), blobs: book.blobs(), spent: book.spent() }),
    };
  };
}

interface Counter extends DeskParts {
  readonly book: Book;
  readonly left: () => ToolCost;
  readonly signal: AbortSignal;
}

/** Asks the models of a profile one after the other, each as often as it may be asked, until one answers. */
async function ask(counter: Counter, profile: ModelProfile, prompt: ModelPrompt): Promise<Asked> {
  const shown = toBlob(canonicalize(asJson(prompt)), counter.hash);
  let attempt = 0;
  let last: Asked = { ok: false, fault: new Fault('model_misconfigured', `profile ${profile.name} names no model`) };
  for (const named of [profile.model, ...profile.fallbacks]) {
    const model = counter.models.connect(named);
    for (let made = 1; made <= counter.retry.attempts; made += 1) {
      attempt += 1;
      const request: Request = { profile, prompt, shown, model, attempt };
      const made1 = await once(counter, request);
      last = made1.asked;
      if (last.ok || !last.fault.retryable) break;
      if (made === counter.retry.attempts || counter.signal.aborted) break;
      const wait = waitMs(counter.retry, made, made1.retryAfterMs, chanceOf(counter.hash, shown.address, attempt));
      await counter.timer.until(counter.clock.nowMs() + wait, counter.signal);
    }
    if (last.ok || !mayFallBack(last.fault) || counter.signal.aborted) return last;
  }
  return last;
}

/** Another model may do what this one cannot; none can spend what is not left, or say what this one declined to. */
const mayFallBack = ({ code }: Fault): boolean => code !== 'budget_exhausted' && code !== 'model_refused';

interface Request {
  readonly profile: ModelProfile;
  readonly prompt: ModelPrompt;
  readonly shown: Blob;
  readonly model: LanguageModel;
  readonly attempt: number;
}

interface Made {
  readonly asked: Asked;
  readonly retryAfterMs: number;
}

async function once(counter: Counter, request: Request): Promise<Made> {
  const { profile, prompt, model } = request;
  const price = profile.price ?? counter.models.priceOf(model.id);
  const parameters = profile.parameters;
  const most = costOf(price, {
    input_tokens: counter.models.countTokens(request.shown.text),
    output_tokens: parameters.outputTokensMax,
  });
  if (!fitsIn(most, counter.left())) {
    const message = `asking ${model.id} may take ${most.input_tokens} + ${most.output_tokens} tokens, more than is left`;
    return { asked: { ok: false, fault: new Fault('budget_exhausted', message) }, retryAfterMs: 0 };
  }
  counter.book.keep(request.shown);
  const generated = await withinTime(counter, profile, (signal) => model.generate(prompt, parameters, signal));
  const answer = generated.ok ? generated.answer : null;
  const response = answer === null ? null : counter.book.keep(toBlob(answer.text.toWellFormed(), counter.hash));
  const usage = answer?.usage ?? estimateOf(counter.models, request.shown.text, answer?.text ?? '', generated);
  const spent = costOf(price, usage);
  counter.book.note({
    role: prompt.role,
    profile: profile.name,
    model: answer?.model ?? model.id,
    template: `${prompt.template.name}@${prompt.template.version}`,
    parameters: { ...parameters },
    prompt: request.shown.address,
    response: response?.address ?? null,
    outcome: outcomeOf(generated),
    attempt: request.attempt,
    spent,
    measured: answer !== null && answer.usage !== null,
  });
  return { asked: askedOf(prompt, generated), retryAfterMs: generated.ok ? 0 : generated.retryAfterMs };
}

function askedOf(prompt: ModelPrompt, generated: Generated): Asked {
  if (!generated.ok) return generated;
  const { text, finish } = generated.answer;
  if (finish === 'refusal') return { ok: false, fault: new Fault('model_refused', 'the model declined to answer') };
  if (prompt.schema === null) return { ok: true, text, finish };
  const json = readJson(text);
  return json === undefined ? { ok: true, text, finish } : { ok: true, text, json, finish };
}

function outcomeOf(generated: Generated): ModelOutcome {
  if (!generated.ok) return generated.fault.code === 'model_timeout' ? 'timed_out' : 'failed';
  if (generated.answer.finish === 'refusal') return 'refused';
  return generated.answer.finish === 'length' ? 'truncated' : 'answered';
}

/** A model that does not stop when it is told to is not waited for. */
async function withinTime(
  { clock, timer, signal }: Counter,
  { timeoutMs }: ModelProfile,
  generate: (signal: AbortSignal) => Promise<Generated>,
): Promise<Generated> {
  const over = new AbortController();
  const called = AbortSignal.any([signal, over.signal]);
  const silence = new Fault('model_timeout', `no answer within ${timeoutMs} ms`);
  const late = timer
    .until(clock.nowMs() + timeoutMs, called)
    .then((): Generated => ({ ok: false, fault: silence, retryAfterMs: 0 }));
  try {
    return await Promise.race([generate(called).catch(broken), late]);
  } finally {
    over.abort();
  }
}

/** A connection promises not to throw; a stranger's may break that promise. */
const broken = (error: unknown): Generated => ({
  ok: false,
  fault: Fault.is(error) ? error : new Fault('model_rejected', String(error), { cause: error }),
  retryAfterMs: 0,
});

interface Book {
  keep(blob: Blob): Blob;
  note(call: ModelCall): void;
  calls(): readonly ModelCall[];
  blobs(): readonly Blob[];
  spent(): ToolCost;
}

function openBook(): Book {
  const calls: ModelCall[] = [];
  const blobs = new Map<string, Blob>();
  return {
    keep: (blob) => {
      blobs.set(blob.address, blob);
      return blob;
    },
    note: (call) => {
      calls.push(call);
    },
    calls: () => [...calls],
    blobs: () => [...blobs.values()],
    spent: () => calls.reduce((sum, call) => addCost(sum, call.spent), NO_COST),
  };
}

const asJson = ({ system, messages, schema }: ModelPrompt): Json => ({
  system,
  messages: messages.map(({ author, text }) => ({ author, text })),
  schema: schema === null ? null : { name: schema.name, json: schema.json },
});
