import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../model/json/json.ts';
import { callAborted, failureOf } from './failure.ts';
import { keepConnected, type Reconnect } from './keep-connected.ts';
import { isHttp, isStdio, type Link, type McpSource, openLink } from './link.ts';
import { assertSame, type ListedTool, toolsByName } from './listed-tool.ts';

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

/** A connection to a server that lists and calls its tools, and reconnects if the policy allows it. */
export interface McpConnection {
  list(): Promise<Listing>;
  /** Sends nothing unless the tool is still the same as when it was registered. */
  call(tool: ListedTool, call: WireCall): Promise<CallToolResult>;
  close(): Promise<void>;
}

const NEVER: AbortSignal = new AbortController().signal;

export async function openMcpConnection(source: McpSource, options: ConnectionOptions): Promise<McpConnection> {
  const { server, trusted, connectTimeoutMs } = options;
  /** The last listing and its link. Cleared when the server announces a change. */
  let seen: { readonly over: Link; readonly listing: Listing } | null = null;
  let changes = 0;
  const onToolsChanged = (): void => {
    seen = null;
    changes += 1;
    options.onToolsChanged();
  };
  const reconnect = isStdio(source) || isHttp(source) ? options.reconnect : 'never';
  const linked = await keepConnected(
    server,
    () => openLink(server, source, { connectTimeoutMs, onToolsChanged }),
    reconnect,
  );

  const list = async (over: Link, signal: AbortSignal): Promise<Listing> => {
    const before = changes;
    const listing = toolsByName(server, await listTools(over, signal));
    if (changes === before) seen = { over, listing };
    return listing;
  };

  /** Uses the last listing for a trusted process that announces changes; any other server is listed every time. */
  const current = async (over: Link, signal: AbortSignal): Promise<Listing> => {
    const canUseListing = trusted && isStdio(source) && announcesChanges(over);
    return canUseListing && seen?.over === over ? seen.listing : await list(over, signal);
  };

  const guarded = async <T>(signal: AbortSignal, work: (link: Link) => Promise<T>): Promise<T> => {
    const link = await linked.live();
    return await work(link).catch((error: unknown) => {
      throw signal.aborted ? callAborted(server, error) : failureOf(server, error, link.gone());
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

const announcesChanges = ({ client }: Link): boolean => client.getServerCapabilities()?.tools?.listChanged === true;

async function listTools({ client, down }: Link, signal: AbortSignal): Promise<readonly ListedTool['tool'][]> {
  const { tools } = await client.listTools({}, { cacheMode: 'refresh', signal: AbortSignal.any([signal, down]) });
  return tools;
}

/** Added to the timeout, because the gateway's own timeout comes first. This one ends a call that was not aborted. */
const GRACE_MS = 250;

/** The `_meta` key of the idempotency key, for servers that support it. */
export const KEY_META = 'ambit/idempotency-key';

/** Sends a call. On abort the library notifies the server and does not wait for an answer. */
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
