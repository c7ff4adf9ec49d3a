import { hash } from 'node:crypto';
import type { CallToolResult, Progress, Tool } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault/fault.ts';
import { type Address, address } from '../../model/json/hash.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { callAborted, failureOf, isHttp, isStdio, type Link, type McpSource, openLink, serverGone } from './link.ts';

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

/** The policy for a lost server: never reconnect, or reconnect for the next call. */
export type Reconnect = 'never' | 'next_call';

interface KeptConnection {
  /** Returns the current link, or a new one if the policy allows it. Concurrent callers share the new link. */
  live(): Promise<Link>;
  close(): Promise<void>;
}

/** Keeps a server connected. Calls in flight when the server is lost fail; nothing is sent a second time. */
async function keepConnected(server: string, open: () => Promise<Link>, reconnect: Reconnect): Promise<KeptConnection> {
  let link = await open();
  let opening: Promise<Link> | null = null;
  let isClosed = false;
  return {
    live: async () => {
      if (isClosed) throw serverGone(server, 'it was closed here');
      const gone = link.gone();
      if (gone === null) return link;
      if (reconnect === 'never') throw serverGone(server, gone);
      opening ??= open().finally(() => {
        opening = null;
      });
      link = await opening;
      return link;
    },
    close: async () => {
      isClosed = true;
      await link.close();
    },
  };
}

/** The parts of a tool that its registration relies on. */
const RELIED_ON = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

/** A tool as the server listed it, with a hash that detects changes in a later listing. */
export interface ListedTool {
  readonly tool: Tool;
  readonly parts: JsonObject;
  readonly version: Address;
}

function listedTool(tool: Tool): ListedTool {
  const known = RELIED_ON.map((part) => [part, tool[part] ?? null]);
  const parts = takeJson(Object.fromEntries(known)) as JsonObject;
  return { tool, parts, version: address(sha256, { name: tool.name, ...parts }) };
}

/** Throws `tool_drifted` if a tool is missing or differs from the registered one, and names the differences. */
export function assertSame(server: string, registered: ListedTool, current: ListedTool | undefined): void {
  const name = `${server}.${registered.tool.name}`;
  if (current === undefined) {
    throw new Fault('tool_drifted', `${name} is no longer offered; nothing was sent. Import the tools again`);
  }
  if (current.version === registered.version) return;
  const changed = RELIED_ON.filter((part) => digest(registered, part) !== digest(current, part));
  const message = `${name} is not what it was when it was registered (${changed.join(', ')} changed); nothing was sent`;
  throw new Fault('tool_drifted', `${message}. Look at it and import the tools again`);
}

/** Returns the tools by name. Rejects duplicate names, because the called tool would be ambiguous. */
export function toolsByName(server: string, tools: readonly Tool[]): ReadonlyMap<string, ListedTool> {
  const found = new Map<string, ListedTool>();
  for (const tool of tools) {
    if (found.has(tool.name)) {
      throw new Fault('input_invalid', `${server} lists the tool ${printable(tool.name)} twice`);
    }
    found.set(tool.name, listedTool(tool));
  }
  return found;
}

const digest = ({ parts }: ListedTool, part: (typeof RELIED_ON)[number]): string =>
  address(sha256, parts[part] ?? null);

const sha256 = (text: string): string => hash('sha256', text, 'hex');
