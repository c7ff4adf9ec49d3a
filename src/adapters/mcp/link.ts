import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Stream } from 'node:stream';
import {
  type AuthProvider,
  Client,
  type FetchLike,
  type OAuthClientProvider,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Fault } from '../../model/fault/fault.ts';
import { printable, reasonOf } from '../../model/json/printable.ts';

/** One connection to a server, until it breaks. */
export interface Link {
  readonly client: Client;
  /** Aborted when the server is known to be gone, so that no call waits for an answer. */
  readonly down: AbortSignal;
  /** Returns why the server is gone, or null. */
  gone(): string | null;
  close(): Promise<void>;
}

interface LinkOptions {
  readonly connectTimeoutMs: number;
  readonly onToolsChanged: () => void;
}

const CLOSED = 'its connection was closed';
const CLIENT_INFO = { name: 'ambit', version: '1' };

/** Resumes a broken stream where it stopped, at most twice. A call is never sent a second time. */
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
    return wrapClient(source);
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
  const reportLost = (why: string): void => {
    failure = why;
    down.abort();
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: watchedFetch(reportLost, () => transport.sessionId !== undefined),
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

/** Detects a lost server: a failed connection, or HTTP 404 for a known session. A broken stream does not count. */
function watchedFetch(reportLost: (why: string) => void, hasSession: () => boolean): FetchLike {
  return async (to, init) => {
    const response = await fetch(to, init).catch((error: unknown) => {
      if (init?.signal?.aborted !== true) reportLost(networkReason(error));
      throw error;
    });
    if (response.status === 404 && init?.method === 'POST' && hasSession())
      reportLost('it no longer knows the session');
    return response;
  };
}

/** Uses a client that its owner connected. It is not watched, reconnected or closed. */
function wrapClient(client: Client): Link {
  if (client.transport === undefined) {
    throw new Fault('input_invalid', 'the MCP client is not connected: connect it first, or give the server instead');
  }
  const gone = (): string | null => (client.transport === undefined ? CLOSED : null);
  return { client, down: new AbortController().signal, gone, close: () => Promise.resolve() };
}

/** Creates a client without capabilities: a server cannot request a model, files or forms from it. */
function newClient({ onToolsChanged }: LinkOptions): Client {
  return new Client(CLIENT_INFO, {
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

const CHANNEL = 'child_process';
const STDERR_LENGTH_MAX = 2_048;

/** Returns all processes started during `start`, from a Node.js diagnostics channel. The transport hides its own. */
export async function processesStartedBy<T>(start: () => Promise<T>): Promise<readonly [T, readonly ChildProcess[]]> {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void => {
    started.push((message as { process: ChildProcess }).process);
  };
  subscribe(CHANNEL, note);
  try {
    return [await start(), started];
  } finally {
    unsubscribe(CHANNEL, note);
  }
}

/** Describes how a process ended; null while it runs. */
function exitOf(child: ChildProcess | undefined, lastWords: () => string): string | null {
  if (child === undefined || (child.exitCode === null && child.signalCode === null)) return null;
  const how = child.signalCode === null ? `exited with code ${child.exitCode}` : `was ended by ${child.signalCode}`;
  const words = lastWords();
  return words === '' ? `its process ${how}` : `its process ${how}: ${words}`;
}

/** Returns the last line of a server's standard error, which usually says why it exited. */
function lastLine(stderr: Stream | null): () => string {
  let tail = '';
  stderr?.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('utf8')).slice(-STDERR_LENGTH_MAX);
  });
  return () => printable(tail.trim().split('\n').at(-1) ?? '');
}

/** A server that runs as a child process and communicates over standard input and output. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few safe variables that a server inherits. It inherits nothing else of this environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface HttpServer {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authProvider?: AuthProvider | OAuthClientProvider;
}

/** The source of tools: a server to connect to, or a client that is already connected. */
export type McpSource = StdioServer | HttpServer | Client;

export const isStdio = (source: McpSource): source is StdioServer => 'command' in source;
export const isHttp = (source: McpSource): source is HttpServer => 'url' in source;

const UNREACHABLE: ReadonlySet<string> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.SendFailed,
]);

export function failureOf(server: string, error: unknown, gone: string | null): Fault {
  if (Fault.is(error)) return error;
  if (gone !== null) return serverGone(server, gone, error);
  const why = reasonOf(error);
  if (error instanceof UnauthorizedError || (error instanceof SdkHttpError && isForbidden(error.status))) {
    return fault('permission_denied', `the MCP server ${server} refuses its credentials: ${why}`, error);
  }
  if (error instanceof SdkHttpError) {
    return fault('dependency_unavailable', `the MCP server ${server} answered HTTP ${error.status}: ${why}`, error);
  }
  if (error instanceof SdkError && UNREACHABLE.has(error.code)) return serverGone(server, why, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return fault('step_timeout', `the MCP server ${server} did not answer in time`, error);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return fault('tool_result_invalid', `the MCP server ${server} answered with nonsense: ${why}`, error);
  }
  const verb = error instanceof ProtocolError ? 'refused the call' : 'could not be called';
  return fault('tool_failed', `the MCP server ${server} ${verb}: ${why}`, error);
}

export function serverGone(server: string, why: string, cause?: unknown): Fault {
  return fault('dependency_unavailable', `the MCP server ${server} is gone: ${why}`, cause);
}

/** The fault of an aborted call, which the library reports as a timeout. */
export function callAborted(server: string, cause: unknown): Fault {
  return fault('tool_failed', `the call was called back; the MCP server ${server} was told so`, cause);
}

const isForbidden = (status: number | undefined): boolean => status === 401 || status === 403;

const fault = (code: ConstructorParameters<typeof Fault>[0], message: string, cause: unknown): Fault =>
  new Fault(code, message, { cause });
