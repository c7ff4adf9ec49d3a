import { Fault } from '../model/fault.ts';
import { reasonOf } from '../model/printable.ts';

/** What Node.js and its `fetch` call a connection that could not be made, or did not last. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const TIMEOUT_CODES: ReadonlySet<string> = new Set(['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** Causes may lead round in a circle; nobody wraps an error more often than this. */
const CAUSES_MAX = 8;

/**
 * What a connection to a model means by throwing. A connection that failed and a time that ran out may be otherwise in
 * a moment; anything else, such as a value or a type that does not fit, will not.
 */
export function thrownByModel(error: unknown): Fault {
  if (Fault.is(error)) return error;
  const because = (code: 'model_timeout' | 'model_unreachable' | 'model_rejected'): Fault =>
    new Fault(code, reasonOf(error), { cause: error });
  const causes = causesOf(error);
  if (causes.some(isTimeout)) return because('model_timeout');
  return because(causes.some(isConnection) ? 'model_unreachable' : 'model_rejected');
}

/** The error and what it was made of, from the outside in. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < CAUSES_MAX; each = each.cause) causes.push(each);
  return causes;
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

const isTimeout = (error: Error): boolean =>
  error.name === 'TimeoutError' || error.name === 'AbortError' || TIMEOUT_CODES.has(codeOf(error));

const isConnection = (error: Error): boolean =>
  CONNECTION_CODES.has(codeOf(error)) || (error instanceof TypeError && error.message === 'fetch failed');
