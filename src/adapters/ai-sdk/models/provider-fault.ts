import { Fault, type FaultCode } from '../../../model/fault.ts';
import { reasonOf } from '../../../model/printable.ts';
import { type Generated, UNSAID } from '../../../ports/language-model.ts';
import { thrownByModel } from '../../../ports/thrown-by-model.ts';
import { retryAfterMs } from './retry-after.ts';

type Failed = Extract<Generated, { readonly ok: false }>;

/** What the AI SDK's errors tell, read by shape: two versions of it in one process are told apart by nothing else. */
interface ProviderError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
  readonly isRetryable?: unknown;
  readonly url?: unknown;
}

/** Errors that only somebody who changes the configuration can do something about. */
const MISCONFIGURED: ReadonlySet<unknown> = new Set([
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_NoSuchProviderError',
  'AI_UnsupportedFunctionalityError',
]);

/** What a request that failed came to: whether it may be otherwise in a moment, and when. */
export function providerFault(id: string, error: unknown, nowMs: number): Failed {
  const { name, statusCode, responseHeaders, responseBody, isRetryable, url } = partsOf(error);
  if (MISCONFIGURED.has(name)) return failed(id, 'model_misconfigured', reasonOf(error), error);
  const address = addressOf(url);
  if (address?.isOther)
    return failed(id, 'model_misconfigured', `${address.place} is no http(s) address: give baseURL one`, error);
  const place = address === null ? '' : ` at ${address.place}`;
  const thrown = thrownByModel(error);
  if (typeof statusCode !== 'number' || statusCode < 300) {
    const code = thrown.code === 'model_rejected' && isRetryable === true ? 'model_unreachable' : thrown.code;
    // Where an answer was on its way it was made, and is paid for, whatever became of it.
    const made = statusCode !== undefined || code === 'model_rejected';
    return { ...failed(id, code, thrown.message + place, error), ...(made ? { usage: UNSAID } : {}) };
  }
  // A wrong address answers, too: what it does not know may be the path and not the model.
  const reason = `${reasonOf(error)} (HTTP ${statusCode}${statusCode === 404 ? place : ''})`;
  if (statusCode === 401 || statusCode === 403) {
    // What the provider says here may repeat a part of the key.
    return failed(id, 'model_misconfigured', `the provider does not accept the key (HTTP ${statusCode})`, undefined);
  }
  if (isUnpaid(statusCode, responseBody)) return failed(id, 'model_misconfigured', reason, error);
  return { ...failed(id, codeOf(statusCode), reason, error), retryAfterMs: retryAfterMs(responseHeaders, nowMs) };
}

interface Address {
  readonly place: string;
  /** Whether it is of a scheme that no provider is reached by, such as the `localhost:` of an address without one. */
  readonly isOther: boolean;
}

/** Where the request went, without what may stand in it as a key. */
function addressOf(url: unknown): Address | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  const isOther = protocol !== 'http:' && protocol !== 'https:';
  return { place: isOther ? `${protocol}${pathname}` : `${protocol}//${host}${pathname}`, isOther };
}

function codeOf(status: number): FaultCode {
  if (status === 429 || status === 503 || status === 529) return 'model_overloaded';
  if (status === 408 || status === 504) return 'model_timeout';
  if (status === 409 || status >= 500) return 'model_unreachable';
  if (status === 404) return 'model_misconfigured';
  return 'model_rejected';
}

/** An account without credit is refused with the status of one that asks too often. Waiting does not help it. */
const isUnpaid = (status: number, body: unknown): boolean =>
  status === 402 || (status === 429 && typeof body === 'string' && body.includes('insufficient_quota'));

function partsOf(error: unknown): ProviderError {
  return typeof error === 'object' && error !== null ? error : {};
}

function failed(id: string, code: FaultCode, why: string, cause: unknown): Failed {
  return { ok: false, fault: new Fault(code, `${id}: ${why}`, { cause }), retryAfterMs: 0 };
}
