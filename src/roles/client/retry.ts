import type { ModelFailure } from '../../model/budget/model-call.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { ModelProfile, RetryPolicy } from '../../ports/model/language-model.ts';

export const RETRY_POLICY: RetryPolicy = Object.freeze({ attempts: 4, baseMs: 500, jitter: 0.1, waitMsMax: 30_000 });

/**
 * The wait before the next request: exponential backoff with jitter, or the provider's `retry-after` if that is longer.
 */
export function waitMs(policy: RetryPolicy, made: number, askedForMs: number, chance: number): number {
  const backoff = policy.baseMs * 2 ** (made - 1);
  return Math.max(Math.round(backoff * (1 + policy.jitter * chance)), askedForMs);
}

/** The jitter of a request, from 0 to 1. Derived from the prompt, so that journals do not depend on chance. */
export const jitterOf = (hash: Hash, prompt: string, made: number): number =>
  Number.parseInt(hash(`${prompt}\n${made}`).slice(0, 8), 16) / 2 ** 32;

/** Faults that may go away by themselves: connection failures, timeouts, an overloaded service. */
const RETRIABLE: Partial<Readonly<Record<FaultCode, string>>> = {
  model_unreachable: 'The model service cannot be reached at the moment.',
  model_overloaded: 'The model service is busy at the moment.',
  model_timeout: 'The model service did not answer in time.',
};

const CRITICAL: Partial<Readonly<Record<FaultCode, string>>> = {
  model_refused: 'The model declined to answer.',
  model_misconfigured: 'The model is not set up correctly.',
  script_unexpected_call: 'The scripted model has no further turn.',
  budget_exhausted: 'Not enough is left to ask the model.',
};

/** The message for invalid requests and answers, which would fail again if repeated. */
const OTHERWISE = 'The model service did not understand the request, or its answer cannot be used.';

export function classify({ code }: Fault): ModelFailure {
  const soon = RETRIABLE[code];
  if (soon !== undefined) return { code, severity: 'RETRIABLE', user_message: soon };
  return { code, severity: 'CRITICAL', user_message: CRITICAL[code] ?? OTHERWISE };
}

/** The fault that the caller receives: the message for the user, followed by the technical one. */
export function withUserMessage(fault: Fault): Fault {
  return new Fault(fault.code, `${classify(fault).user_message} (${fault.message})`, { cause: fault });
}

const REQUEST_TIMEOUT_MS = 20_000;

/** The time limit of one request to a model of this profile. */
export const requestTimeMs = ({ requestTimeoutMs = REQUEST_TIMEOUT_MS }: ModelProfile): number => requestTimeoutMs;

/**
 * The longest time that one question may take: every attempt of every model, and the waits in between. A provider that
 * demands longer waits gets fewer attempts in that time.
 */
export function longestQuestionMs(profile: ModelProfile): number {
  const { fallbacks, retry = RETRY_POLICY } = profile;
  const timeoutMs = requestTimeMs(profile);
  let perModel = timeoutMs;
  for (let made = 1; made < retry.attempts; made += 1) perModel += waitMs(retry, made, 0, 1) + timeoutMs;
  return perModel * (1 + fallbacks.length);
}
