import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../model/json.ts';
import { calledBack, failureOf } from './failure.ts';
import { keepLinked, type Reconnect } from './keep-linked.ts';
import { type Link, openLink } from './link.ts';
import { assertSame, byName, type ListedTool } from './listed-tool.ts';
import { isHttp, isStdio, type McpSource } from './server-config.ts';

export interface ConnectionOptions {
  readonly server: string;
  readonly trusted: boolean;
  readonly connectTimeoutMs: number;
  readonly reconnect: Reconnect;
  readonly onToolsChanged: () => void;
}

export interface WireCall {
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress?: (progress: Progress) => void;
}

type Listing = ReadonlyMap<string, ListedTool>;

/** A server as its tools see it: listed, called, and connected to anew where the policy says so. */
export interface Connection {
  list(): Promise<Listing>;
  /** Sends nothing unless the tool is still the one that was registered. */
  call(tool: ListedTool, call: WireCall): Promise<CallToolResult>;
  close(): Promise<void>;
}

const NEVER: AbortSignal = new AbortController().signal;

export async function openConnection(source: McpSource, options: ConnectionOptions): Promise<Connection> {
  const { server, trusted, connectTimeoutMs } = options;
  /** What was listed, over which link; forgotten as soon as the server says that it has changed. */
  let seen: { readonly over: Link; readonly listing: Listing } | null = null;
  let changes = 0;
  const onToolsChanged = (): void => {
    seen = null;
    changes += 1;
    options.onToolsChanged();
  };
  const reconnect = isStdio(source) || isHttp(source) ? options.reconnect : 'never';
  const linked = await keepLinked(
    server,
    () => openLink(server, source, { connectTimeoutMs, onToolsChanged }),
    reconnect,
  );

  const list = async (over: Link, signal: AbortSignal): Promise<Listing> => {
    const before = changes;
    const listing = byName(server, await listTools(over, signal));
    if (changes === before) seen = { over, listing };
    return listing;
  };

  /** A trusted process that promises to say when its tools change is believed; any other server is asked each time. */
  const current = async (over: Link, signal: AbortSignal): Promise<Listing> => {
    const isBelieved = trusted && isStdio(source) && promisesToTell(over);
    return isBelieved && seen?.over === over ? seen.listing : await list(over, signal);
  };

  const guarded = async <T>(signal: AbortSignal, work: (link: Link) => Promise<T>): Promise<T> => {
    const link = await linked.live();
    return await work(link).catch((error: unknown) => {
      throw signal.aborted ? calledBack(server, error) : failureOf(server, error, link.gone());
    });
  };

  return {
    list: () => guarded(NEVER, (link) => list(link, NEVER)),
    call: (registered, call) =>
      guarded(call.signal, async (link) => {
        const now = await current(link, call.signal);
        assertSame(server, registered, now.get(registered.tool.name));
        return await send(link, registered, call);
      }),
    close: () => linked.close(),
  };
}

const promisesToTell = ({ client }: Link): boolean => client.getServerCapabilities()?.tools?.listChanged === true;

async function listTools({ client, down }: Link, signal: AbortSignal): Promise<readonly ListedTool['tool'][]> {
  const { tools } = await client.listTools({}, { cacheMode: 'refresh', signal: AbortSignal.any([signal, down]) });
  return tools;
}

/** The gateway's own clock comes first; this one only ends a call that nobody called back. */
const GRACE_MS = 250;

/** Where a server that knows what a key is finds it. */
export const KEY_META = 'ambit/idempotency-key';

/** When `signal` is aborted the library tells the server so; what still comes back is not waited for. */
async function send({ client, down }: Link, { tool }: ListedTool, call: WireCall): Promise<CallToolResult> {
  const { args, idempotencyKey, signal, timeoutMs, onProgress } = call;
  return await client.callTool(
    { name: tool.name, arguments: { ...args }, _meta: { [KEY_META]: idempotencyKey } },
    {
      signal: AbortSignal.any([signal, down]),
      timeout: timeoutMs + GRACE_MS,
      toolDefinition: tool,
      ...(onProgress === undefined ? {} : { onprogress: onProgress }),
    },
  );
}
