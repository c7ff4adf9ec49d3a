import { Client, type FetchLike, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Fault } from '../../model/fault.ts';
import { reasonOf } from '../../model/printable.ts';
import { failureOf } from './failure.ts';
import { exitOf, lastLine, processesStartedBy } from './process-exit.ts';
import { type HttpServer, isHttp, isStdio, type McpSource, type StdioServer } from './server-config.ts';

/** One connection to a server, for as long as it lasts. */
export interface Link {
  readonly client: Client;
  /** Aborted as soon as the server is known to be gone, so that no call waits for an answer that cannot come. */
  readonly down: AbortSignal;
  /** Why the server is gone; null while it is not known to be. */
  gone(): string | null;
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly connectTimeoutMs: number;
  readonly onToolsChanged: () => void;
}

const CLOSED = 'its connection was closed';
const WHO = { name: 'ambit', version: '1' };

/** A stream is taken up again where it broke off, soon and twice: a call is never sent a second time. */
const RESUME = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

export async function openLink(server: string, source: McpSource, options: LinkOptions): Promise<Link> {
  try {
    if (isStdio(source)) return await overStdio(source, options);
    if (isHttp(source)) return await overHttp(source, options);
    return borrowed(source);
  } catch (cause) {
    const refusal = failureOf(server, cause, null);
    if (Fault.is(cause) || refusal.code === 'permission_denied') throw refusal;
    const message = `the MCP server ${server} cannot be reached: ${reasonOf(cause)}`;
    throw new Fault('dependency_unavailable', message, { cause });
  }
}

async function overStdio({ command, args = [], env = {}, cwd }: StdioServer, options: LinkOptions): Promise<Link> {
  const place = cwd === undefined ? {} : { cwd };
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, ...place, stderr: 'pipe' });
  const lastWords = lastLine(transport.stderr);
  const client = newClient(options);
  const { down, isClosed } = watchClose(client);
  const [, started] = await processesStartedBy(() => connect(client, transport, options)).catch((error: unknown) => {
    const words = lastWords();
    throw words === '' ? error : new Error(`${reasonOf(error)}: ${words}`, { cause: error });
  });
  const child = started.find(({ pid }) => pid === transport.pid);
  const gone = (): string | null => (isClosed() ? (exitOf(child, lastWords) ?? CLOSED) : null);
  return { client, down: down.signal, gone, close: () => client.close() };
}

async function overHttp({ url, headers, authProvider }: HttpServer, options: LinkOptions): Promise<Link> {
  let failure: string | null = null;
  const client = newClient(options);
  const { down, isClosed } = watchClose(client);
  const lose = (why: string): void => {
    failure = why;
    down.abort();
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: watchedFetch(lose, () => transport.sessionId !== undefined),
    reconnectionOptions: RESUME,
    ...(headers === undefined ? {} : { requestInit: { headers } }),
    ...(authProvider === undefined ? {} : { authProvider }),
  });
  await connect(client, transport, options);
  const close = async (): Promise<void> => {
    await transport.terminateSession().catch(() => undefined);
    await client.close();
  };
  return { client, down: down.signal, gone: () => failure ?? (isClosed() ? CLOSED : null), close };
}

/**
 * A broken stream alone does not say that a server is gone; a connection that it refuses does, and so does a server that
 * no longer knows the session.
 */
function watchedFetch(lose: (why: string) => void, hasSession: () => boolean): FetchLike {
  return async (to, init) => {
    const response = await fetch(to, init).catch((error: unknown) => {
      if (init?.signal?.aborted !== true) lose(networkReason(error));
      throw error;
    });
    if (response.status === 404 && init?.method === 'POST' && hasSession()) lose('it no longer knows the session');
    return response;
  };
}

/** A client that its owner connected stays its owner's: it is not watched, not reconnected and not closed. */
function borrowed(client: Client): Link {
  if (client.transport === undefined) {
    throw new Fault('input_invalid', 'the MCP client is not connected: connect it first, or give the server instead');
  }
  const gone = (): string | null => (client.transport === undefined ? CLOSED : null);
  return { client, down: new AbortController().signal, gone, close: () => Promise.resolve() };
}

/** It offers a server nothing: no model, no files, no forms. What it cannot be asked for it cannot be tricked into. */
function newClient({ onToolsChanged }: LinkOptions): Client {
  return new Client(WHO, {
    capabilities: {},
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
  });
}

async function connect(client: Client, transport: Transport, { connectTimeoutMs }: LinkOptions): Promise<void> {
  try {
    await client.connect(transport, { timeout: connectTimeoutMs });
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

function watchClose(client: Client): { readonly down: AbortController; isClosed(): boolean } {
  const down = new AbortController();
  let closed = false;
  client.onclose = () => {
    closed = true;
    down.abort();
  };
  return { down, isClosed: () => closed };
}

function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reasonOf(cause);
}
