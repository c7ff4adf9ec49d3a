import { Fault } from '../../model/fault/fault.ts';
import { toBlob } from '../../model/json/blob.ts';
import { canonicalize } from '../../model/json/canonical.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type {
  ModelProfile,
  ModelPrompt,
  ModelRequest,
  Models,
  OpenModelClient,
  RetryPolicy,
} from '../../ports/model/language-model.ts';
import { choicesOf, type RepairChoice } from './model-choices.ts';
import { openModelLedger } from './model-ledger.ts';
import { type ModelQuestion, type RequestDeps, requestOnce } from './request.ts';
import { classify, jitterOf, waitMs, withUserMessage } from './retry.ts';

export interface ModelClientDeps {
  readonly models: Models;
  /** The default for profiles without a retry policy. */
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
}

/** Creates the client through which all models are called. It records every prompt and every answer. */
export function createModelClient({ retry, ...parts }: ModelClientDeps): OpenModelClient {
  return (allowance, signal) => {
    const book = openModelLedger(allowance);
    const counter: RequestDeps = { ...parts, book, signal };
    return {
      client: {
        left: book.left,
        ask: (profile, prompt) => ask(counter, profile.retry ?? retry, profile, prompt),
        sizeOf: (prompt) => parts.models.countTokens(canonicalize(asJson(prompt))),
      },
      account: book.account,
    };
  };
}

/** Asks the models of a profile in order, each with its retries, until one answers. */
async function ask(
  counter: RequestDeps,
  retry: RetryPolicy,
  profile: ModelProfile,
  prompt: ModelPrompt,
): Promise<ModelRequest> {
  const shown = toBlob(canonicalize(asJson(prompt)), counter.hash);
  const inputTokens = counter.models.countTokens(shown.text);
  const question: ModelQuestion = { profile, prompt, shown, inputTokens };
  let attempts = 0;
  let fault = new Fault('model_misconfigured', `profile ${profile.name} names no model`);
  if (counter.signal.aborted) fault = new Fault('model_timeout', 'the question was called back before it was asked');
  for (const choice of counter.signal.aborted ? [] : choicesOf(counter.models, profile)) {
    if (Fault.is(choice)) {
      fault = choice;
      continue;
    }
    const tried = await askModel(counter, retry, { question, choice, attempts });
    if (tried.asked.ok) return tried.asked;
    attempts = tried.attempts;
    fault = tried.asked.fault;
    if (!mayFallBack(fault) || counter.signal.aborted) break;
  }
  return { ok: false, fault: withUserMessage(fault) };
}

interface Turn {
  readonly question: ModelQuestion;
  readonly choice: RepairChoice;
  /** Requests made so far for this question, over all models. */
  readonly attempts: number;
}

interface Tried {
  readonly asked: ModelRequest;
  readonly attempts: number;
}

/** Asks one model and retries while the fault is retriable. */
async function askModel(counter: RequestDeps, retry: RetryPolicy, { question, choice, ...turn }: Turn): Promise<Tried> {
  for (let made = 1; ; made += 1) {
    const attempts = turn.attempts + made;
    const { asked, retryAfterMs } = await requestOnce(counter, question, choice, attempts);
    if (asked.ok || classify(asked.fault).severity === 'CRITICAL') return { asked, attempts };
    if (made >= retry.attempts || retryAfterMs > retry.waitMsMax || counter.signal.aborted) return { asked, attempts };
    const chance = jitterOf(counter.hash, question.shown.address, attempts);
    const wait = waitMs(retry, made, retryAfterMs, chance);
    await counter.timer.until(counter.clock.nowMs() + wait, counter.signal);
    if (counter.signal.aborted) return { asked, attempts };
  }
}

/** Whether the next model may be tried. An exhausted budget and a refusal hold for every model. */
const mayFallBack = ({ code }: Fault): boolean => code !== 'budget_exhausted' && code !== 'model_refused';

const asJson = ({ system, messages, schema }: ModelPrompt): Json => ({
  system,
  messages: messages.map(({ author, text }) => ({ author, text })),
  schema: schema === null ? null : { name: schema.name, json: schema.json },
});
