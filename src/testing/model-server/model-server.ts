import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Fault } from '../../model/fault/fault.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { openaiWire, type Wire } from './openai-wire.ts';
import type { ServedRequest, ServedTurn } from './served-turn.ts';

export interface ModelServer {
  /** The server's address; provider packages take it as their base URL, followed by `/v1`. */
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ServedRequest[];
  /** Throws if there were more requests than scripted turns, or if a turn is left. */
  assertDrained(): void;
  /** Closes open connections and stops. */
  close(): Promise<void>;
}

/**
 * A local model provider that plays a script, one turn per request. It speaks OpenAI's chat completions
 * (`/chat/completions`) and Anthropic's messages (`/messages`), streaming if the request asks for it.
 */
export async function modelServer(script: readonly ServedTurn[]): Promise<ModelServer> {
  const left = [...script];
  const requests: ServedRequest[] = [];
  let unexpected = 0;
  const server = createServer((incoming, response) => {
    void read(incoming).then((text) => {
      const request = requestOf(incoming, text);
      requests.push(request);
      const turn = left.shift();
      if (turn === undefined) unexpected += 1;
      // Clients do not retry a 404, not even with a looser schema, so a test with a missing turn fails at once.
      const missing = { status: 404, message: `request ${requests.length} is not scripted` };
      answer(request, typeof turn === 'string' ? { text: turn } : (turn ?? missing), response);
    });
  });
  const url = await listen(server);
  return {
    url,
    requests,
    assertDrained: () => {
      if (unexpected > 0) {
        throw new Fault(
          'script_unexpected_call',
          `${requests.length} requests came, and ${script.length} are scripted`,
        );
      }
      if (left.length > 0) throw new Fault('script_unused', `${left.length} scripted turns were never used`);
    },
    close: () => stop(server),
  };
}

type Turn = Exclude<ServedTurn, string>;

function answer(request: ServedRequest, turn: Turn, response: ServerResponse): void {
  const wire: Wire = request.wire === 'openai' ? openaiWire : anthropicWire;
  if (turn.hangs === 'at_once') return;
  if (turn.resets === 'at_once') {
    tear(response);
    return;
  }
  const failed = turn.status !== undefined && turn.status >= 400;
  const streams = request.streaming && !failed && turn.raw === undefined;
  const chunks = streams ? wire.events(turn, request) : [turn.raw ?? JSON.stringify(bodyOf(wire, turn, request))];
  response.writeHead(turn.status ?? 200, {
    'content-type': streams ? 'text/event-stream' : 'application/json',
    ...(turn.retryAfter === undefined ? {} : { 'retry-after': turn.retryAfter }),
  });
  const pieces = splitBytes(Buffer.from(chunks.join('')));
  const breaks = turn.hangs !== undefined || turn.resets !== undefined;
  send(response, breaks ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces, () => {
    if (turn.resets !== undefined) tear(response);
    else if (turn.hangs === undefined) response.end();
  });
}

function bodyOf(wire: Wire, turn: Turn, request: ServedRequest): unknown {
  const { status = 200, message = 'the provider is not well' } = turn;
  return status >= 400 ? wire.error(status, message) : wire.body(turn, request);
}

/** Writes the next piece after the last one was sent, so that the client receives separate pieces. */
function send(response: ServerResponse, [first, ...rest]: readonly Buffer[], then: () => void): void {
  if (first === undefined) then();
  else response.write(first, () => send(response, rest, then));
}

/** Splits at bytes, so that a piece may end within a character, as on a network. */
function splitBytes(bytes: Buffer): readonly Buffer[] {
  const size = Math.max(7, Math.ceil(bytes.length / 40));
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

function tear(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function requestOf({ url = '', headers }: IncomingMessage, text: string): ServedRequest {
  const body = jsonIn(text);
  const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    wire: url.endsWith('/messages') ? 'anthropic' : 'openai',
    path: url,
    headers: Object.fromEntries(flat),
    body,
    streaming: body['stream'] === true,
  };
}

function jsonIn(text: string): ServedRequest['body'] {
  try {
    return JSON.parse(text) as ServedRequest['body'];
  } catch {
    return { unreadable: text };
  }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
