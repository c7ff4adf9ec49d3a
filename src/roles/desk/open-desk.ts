import { toBlob } from '../../model/blob.ts';
import { canonicalize } from '../../model/canonical.ts';
import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { Json } from '../../model/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Asked, ModelProfile, ModelPrompt, Models, OpenDesk, RetryPolicy } from '../../ports/language-model.ts';
import type { Timer } from '../../ports/timer.ts';
import { openBook } from './book.ts';
import { type Choice, choicesOf } from './choices.ts';
import { classify, passedOn } from './classify.ts';
import { type Counter, type Question, requestOnce } from './one-request.ts';
import { chanceOf, waitMs } from './retry.ts';

export interface DeskParts {
  readonly models: Models;
  /** For profiles that bring none of their own. */
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly hash: Hash;
}

/** The one place where models are asked. Everything that leaves for a model, and everything that comes back, is kept. */
export function deskOf({ retry, ...parts }: DeskParts): OpenDesk {
  return (allowance, signal) => {
    const book = openBook(allowance);
    const counter: Counter = { ...parts, book, signal };
    return {
      desk: { left: book.left, ask: (profile, prompt) => ask(counter, profile.retry ?? retry, profile, prompt) },
      account: book.account,
    };
  };
}

/** Asks the models of a profile one after the other, each as often as it may be asked, until one answers. */
async function ask(counter: Counter, retry: RetryPolicy, profile: ModelProfile, prompt: ModelPrompt): Promise<Asked> {
  const shown = toBlob(canonicalize(asJson(prompt)), counter.hash);
  const inputTokens = counter.models.countTokens(shown.text);
  const question: Question = { profile, prompt, shown, inputTokens };
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
  return { ok: false, fault: passedOn(fault) };
}

interface Turn {
  readonly question: Question;
  readonly choice: Choice;
  /** Requests made so far for this question, to whichever model. */
  readonly attempts: number;
}

interface Tried {
  readonly asked: Asked;
  readonly attempts: number;
}

/** Asks one model, again and again while that may help. */
async function askModel(counter: Counter, retry: RetryPolicy, { question, choice, ...turn }: Turn): Promise<Tried> {
  for (let made = 1; ; made += 1) {
    const attempts = turn.attempts + made;
    const { asked, retryAfterMs } = await requestOnce(counter, question, choice, attempts);
    if (asked.ok || classify(asked.fault).severity === 'CRITICAL') return { asked, attempts };
    if (made >= retry.attempts || retryAfterMs > retry.waitMsMax || counter.signal.aborted) return { asked, attempts };
    const chance = chanceOf(counter.hash, question.shown.address, attempts);
    const wait = waitMs(retry, made, retryAfterMs, chance);
    await counter.timer.until(counter.clock.nowMs() + wait, counter.signal);
    if (counter.signal.aborted) return { asked, attempts };
  }
}

/** Another model may do what this one cannot; none can spend what is not left, or say what this one declined to. */
const mayFallBack = ({ code }: Fault): boolean => code !== 'budget_exhausted' && code !== 'model_refused';

const asJson = ({ system, messages, schema }: ModelPrompt): Json => ({
  system,
  messages: messages.map(({ author, text }) => ({ author, text })),
  schema: schema === null ? null : { name: schema.name, json: schema.json },
});
