import { Fault, type FaultCode } from '../../../model/fault/fault.ts';
import { reasonOf } from '../../../model/json/printable.ts';
import { type Generated, toModelFault, UNREPORTED_USAGE } from '../../../ports/model/language-model.ts';

/**
 * The wait that a provider requests, in milliseconds. The headers give milliseconds, seconds or a date; a date is
 * compared with the provider's own clock if the response has one. 0 without a readable value.
 */
export function retryAfterMs(headers: unknown, nowMs: number): number {
  const ms = Number(header(headers, 'retry-after-ms') ?? Number.NaN);
  if (ms >= 0) return toWaitMs(ms);
  const after = header(headers, 'retry-after');
  if (after === undefined) return 0;
  if (/^\d+(?:\.\d+)?$/u.test(after)) return toWaitMs(Number(after) * 1_000);
  const now = Date.parse(header(headers, 'date') ?? '');
  return toWaitMs(Date.parse(after) - (Number.isNaN(now) ? nowMs : now));
}

const toWaitMs = (ms: number): number => (ms > 0 && Number.isFinite(ms) ? Math.ceil(ms) : 0);

function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value: unknown = Reflect.get(headers, name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

type Failed = Extract<Generated, { readonly ok: false }>;

/** The fields of an AI SDK error. It is read by shape, because `instanceof` fails across two versions of the SDK. */
interface ProviderError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
  readonly isRetryable?: unknown;
  readonly url?: unknown;
}

/** Errors that only a change of the configuration can fix. */
const MISCONFIGURED: ReadonlySet<unknown> = new Set([
  'AI_LoadAPIKeyError',
  'AI_LoadSettingError',
  'AI_NoSuchModelError',
  'AI_NoSuchProviderError',
  'AI_UnsupportedFunctionalityError',
]);

/** Classifies a failed request: its fault code, and how long to wait before a retry. */
export function providerFault(id: string, error: unknown, nowMs: number): Failed {
  const { name, statusCode, responseHeaders, responseBody, isRetryable, url } = partsOf(error);
  if (MISCONFIGURED.has(name)) return failed(id, 'model_misconfigured', reasonOf(error), error);
  const address = addressOf(url);
  if (address?.isOther)
    return failed(id, 'model_misconfigured', `${address.place} is no http(s) address: give baseURL one`, error);
  const place = address === null ? '' : ` at ${address.place}`;
  const thrown = toModelFault(error);
  if (typeof statusCode !== 'number' || statusCode < 300) {
    const code = thrown.code === 'model_rejected' && isRetryable === true ? 'model_unreachable' : thrown.code;
    // If a response had started, the answer was generated and is charged.
    const made = statusCode !== undefined || code === 'model_rejected';
    return { ...failed(id, code, thrown.message + place, error), ...(made ? { usage: UNREPORTED_USAGE } : {}) };
  }
  // A 404 may mean a wrong base URL rather than an unknown model, so the message names the address.
  const reason = `${reasonOf(error)} (HTTP ${statusCode}${statusCode === 404 ? place : ''})`;
  if (statusCode === 401 || statusCode === 403) {
    // The provider's message may repeat a part of the key.
    return failed(id, 'model_misconfigured', `the provider does not accept the key (HTTP ${statusCode})`, undefined);
  }
  if (isUnpaid(statusCode, responseBody)) return failed(id, 'model_misconfigured', reason, error);
  return { ...failed(id, codeOf(statusCode), reason, error), retryAfterMs: retryAfterMs(responseHeaders, nowMs) };
}

interface Address {
  readonly place: string;
  /** True for any other scheme than http(s), such as `localhost:` in an address without a scheme. */
  readonly isOther: boolean;
}

/** The address of the request without its query and user info, which may hold a key. */
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

/** An account without credit. Some providers report it as HTTP 429, but waiting does not help. */
const isUnpaid = (status: number, body: unknown): boolean =>
  status === 402 || (status === 429 && typeof body === 'string' && body.includes('insufficient_quota'));

function partsOf(error: unknown): ProviderError {
  return typeof error === 'object' && error !== null ? error : {};
}

function failed(id: string, code: FaultCode, why: string, cause: unknown): Failed {
  return { ok: false, fault: new Fault(code, `${id}: ${why}`, { cause }), retryAfterMs: 0 };
}
