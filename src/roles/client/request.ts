import type { ModelCall, ModelOutcome } from '../../model/budget/model-call.ts';
import { costAt } from '../../model/budget/model-price.ts';
import { Fault } from '../../model/fault/fault.ts';
import { type Blob, toBlob } from '../../model/json/blob.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { Name } from '../../model/json/name.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import {
  ANSWER_LENGTH_MAX,
  type Generated,
  type ModelProfile,
  type ModelPrompt,
  type ModelRequest,
  type Models,
  toModelFault,
  UNREPORTED_USAGE,
} from '../../ports/model/language-model.ts';
import type { RepairChoice } from './model-choices.ts';
import { fitsIn, type ModelLedger } from './model-ledger.ts';
import { classify, requestTimeMs } from './retry.ts';
import { chargedUsage } from './spending.ts';

export interface RequestDeps extends Waiting {
  readonly models: Models;
  readonly hash: Hash;
  readonly book: ModelLedger;
}

/** The parts of a question that are the same for each of its requests. */
export interface ModelQuestion {
  readonly profile: ModelProfile;
  readonly prompt: ModelPrompt;
  readonly shown: Blob;
  readonly inputTokens: number;
}

interface Made {
  readonly asked: ModelRequest;
  readonly retryAfterMs: number;
}

/** Makes one request, if the budget covers its maximum cost, and records its outcome. */
export async function requestOnce(
  counter: RequestDeps,
  question: ModelQuestion,
  { model, price }: RepairChoice,
  attempt: number,
): Promise<Made> {
  const { profile, prompt, shown, inputTokens } = question;
  const { parameters } = profile;
  const most = costAt(price, { input_tokens: inputTokens, output_tokens: parameters.outputTokensMax });
  if (!fitsIn(most, counter.book.left())) return tooDear(model.id, most);
  const call = {
    role: prompt.role,
    profile: profile.name,
    model: model.id,
    template: `${prompt.template.name}@${prompt.template.version}`,
    parameters: { ...parameters },
    prompt: counter.book.keep(shown).address,
    attempt,
  };
  const sent = costAt(price, { input_tokens: inputTokens, output_tokens: 0 });
  const abandoned = { ...call, response: null, outcome: 'called_back', spent: sent, measured: false } as const;
  const pending = { most, abandoned };
  counter.book.open(pending);
  const generated = await withinTime(counter, requestTimeMs(profile), (signal) =>
    model.generate(prompt, parameters, signal),
  );
  const answer = generated.ok ? generated.answer : null;
  const text = (answer?.text ?? '').toWellFormed();
  const reported = generated.ok ? (generated.answer.usage ?? UNREPORTED_USAGE) : (generated.usage ?? null);
  const { usage, measured } = chargedUsage(counter.models, inputTokens, text, reported);
  const asked = askedOf(prompt, generated, text);
  counter.book.close(pending, {
    ...call,
    model: Name.safeParse(answer?.model).data ?? model.id,
    response: answer === null ? null : counter.book.keep(toBlob(text, counter.hash)).address,
    outcome: outcomeOf(generated, counter.signal),
    spent: costAt(price, usage),
    measured,
    ...failureOf(asked),
  });
  return { asked, retryAfterMs: generated.ok ? 0 : generated.retryAfterMs };
}

function tooDear(id: string, most: ReturnType<typeof costAt>): Made {
  const message = `asking ${id} may take ${most.input_tokens} + ${most.output_tokens} tokens and ${most.microusd} millionths of a dollar, more than is left`;
  return { asked: { ok: false, fault: new Fault('budget_exhausted', message) }, retryAfterMs: 0 };
}

function askedOf({ schema }: ModelPrompt, generated: Generated, text: string): ModelRequest {
  if (!generated.ok) return { ok: false, fault: generated.fault };
  const { finish } = generated.answer;
  if (finish === 'refusal') return { ok: false, fault: new Fault('model_refused', 'the model declined to answer') };
  const json = schema === null ? undefined : readJson(text);
  return json === undefined ? { ok: true, text, finish } : { ok: true, text, json, finish };
}

function outcomeOf(generated: Generated, { aborted }: AbortSignal): ModelOutcome {
  if (!generated.ok) {
    if (generated.fault.code !== 'model_timeout') return 'failed';
    return aborted ? 'called_back' : 'timed_out';
  }
  if (generated.answer.finish === 'refusal') return 'refused';
  return generated.answer.finish === 'length' ? 'truncated' : 'answered';
}

const failureOf = (asked: ModelRequest): Pick<ModelCall, 'failure'> =>
  asked.ok ? {} : { failure: classify(asked.fault) };

/** Parses the JSON in an answer, also if it is fenced or surrounded by prose. Undefined if there is none. */
function readJson(text: string): Json | undefined {
  for (const candidate of candidates(text)) {
    try {
      return JSON.parse(candidate) as Json;
    } catch {
      // Try the next candidate.
    }
  }
  return undefined;
}

const BRACKETS = [
  ['{', '}'],
  ['[', ']'],
] as const;

function* candidates(text: string): Generator<string> {
  yield text;
  const fenced = insideFence(text);
  if (fenced !== null) yield fenced;
  for (const [open, close] of BRACKETS) {
    const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
    if (from >= 0 && to > from) yield text.slice(from, to + 1);
  }
}

const FENCE = '```';

/** The text between the first two code fences. A regular expression would backtrack on a hostile text. */
function insideFence(text: string): string | null {
  const open = text.indexOf(FENCE);
  const line = open < 0 ? -1 : text.indexOf('\n', open);
  const close = line < 0 ? -1 : text.indexOf(FENCE, line);
  return close < 0 ? null : text.slice(line, close);
}

interface Waiting {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Runs one request with a timeout, even if the model ignores its abort signal. */
async function withinTime(
  { clock, timer, signal }: Waiting,
  timeoutMs: number,
  generate: (signal: AbortSignal) => Promise<Generated>,
): Promise<Generated> {
  const over = new AbortController();
  const called = AbortSignal.any([signal, over.signal]);
  const late = timer.until(clock.nowMs() + timeoutMs, called).then((): Generated => {
    const why = signal.aborted ? 'it was called back before it answered' : `no answer within ${timeoutMs} ms`;
    return { ok: false, fault: new Fault('model_timeout', why), retryAfterMs: 0, usage: UNREPORTED_USAGE };
  });
  try {
    return sound(await Promise.race([attempted(() => generate(called)), late]));
  } finally {
    over.abort();
  }
}

/** Catches a throw: connections must not throw, but a foreign one may. */
async function attempted(generate: () => Promise<Generated>): Promise<Generated> {
  try {
    return await generate();
  } catch (error) {
    return { ok: false, fault: toModelFault(error), retryAfterMs: 0 };
  }
}

/** Turns an answer that is no text or too long into a failure. Its usage is charged anyway. */
function sound(generated: Generated): Generated {
  if (!generated.ok) return generated;
  const { text, usage } = generated.answer;
  const why = typeof text !== 'string' ? 'the answer is not a text' : tooLong(text);
  if (why === null) return generated;
  return { ok: false, fault: new Fault('model_rejected', why), retryAfterMs: 0, usage: usage ?? UNREPORTED_USAGE };
}

const tooLong = ({ length }: string): string | null =>
  length <= ANSWER_LENGTH_MAX
    ? null
    : `the answer has ${length} characters, and ${ANSWER_LENGTH_MAX} are taken: ask for less with outputTokensMax of its profile, or find out why the server does not keep to it`;
