import { ANSWER_LENGTH_MAX } from '../../../ports/language-model.ts';
import { field, type Result } from './answer.ts';

/** Puts a streamed answer together, into what the same model would have answered in one piece. */
export async function collected(streamed: unknown): Promise<Result> {
  const stream = field(streamed, 'stream');
  if (!(stream instanceof ReadableStream)) throw new TypeError('the model did not answer with a stream');
  let text = '';
  let finish: unknown;
  let response: unknown;
  // Leaving the loop early lets go of the connection.
  for await (const part of stream as ReadableStream<unknown>) {
    const type = field(part, 'type');
    if (type === 'error') throw errorOf(field(part, 'error'));
    if (type === 'text-delta') text += String(field(part, 'delta') ?? '');
    else if (type === 'response-metadata') response = part;
    else if (type === 'finish') finish = part;
    // One character too many is enough for whoever looks at its length.
    if (text.length > ANSWER_LENGTH_MAX) break;
  }
  return {
    content: [{ type: 'text', text }],
    finishReason:
      finish === undefined && text.length <= ANSWER_LENGTH_MAX ? 'interrupted' : field(finish, 'finishReason'),
    usage: field(finish, 'usage'),
    response,
  };
}

/** What providers say in the middle of a stream, where no status can say it any more, and the status they mean. */
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

function errorOf(said: unknown): unknown {
  if (said instanceof Error) return said;
  const kind = field(said, 'code') ?? field(said, 'type');
  const message = field(said, 'message') ?? (typeof said === 'string' ? said : 'the provider reported an error');
  const statusCode = typeof kind === 'string' && Object.hasOwn(STATUS, kind) ? STATUS[kind] : 500;
  return Object.assign(new Error(String(message)), { statusCode });
}
