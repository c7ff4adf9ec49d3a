import type { Progress } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault.ts';
import { assertLabelled, importedSpec, type ToolLabel } from '../../model/imported-tool.ts';
import type { JsonObject } from '../../model/json.ts';
import { Name } from '../../model/name.ts';
import { printable } from '../../model/printable.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import { assumedFromHints } from './assumed-from-hints.ts';
import { type Connection, openConnection } from './connection.ts';
import type { Reconnect } from './keep-linked.ts';
import type { ListedTool } from './listed-tool.ts';
import { CONTENT_SCHEMA, type KeepMedia, plainResult } from './plain-result.ts';
import type { McpSource } from './server-config.ts';

/** Progress of one call, as the server reports it. */
export interface CallProgress extends Progress {
  readonly tool: string;
  readonly stepId: string;
}

export interface McpWatch {
  readonly progress?: (progress: CallProgress) => void;
  /** The server says that its tools are not what they were. Calls to those that changed are refused from now on. */
  readonly toolsChanged?: () => void;
  /** The bytes of an image, a sound or a file that a result only carries a handle of. */
  readonly media?: KeepMedia;
}

export interface McpOptions {
  /** The first part of the name of every tool: `files` makes `read_file` the tool `files.read_file`. */
  readonly server: string;
  /** Its hints are believed. Without it they may only make a tool stricter. Results stay untrusted either way. */
  readonly trusted?: boolean;
  /** The tools that are taken, by the server's own names; all of them when it is absent. */
  readonly only?: readonly string[];
  /** What holds for every tool of the server that neither its label nor, as far as they count, its hints settle. */
  readonly usual?: ToolLabel;
  /** What you state about single tools, by the server's own names. It stands as stated. */
  readonly labels?: Readonly<Record<string, ToolLabel>>;
  readonly connection?: { readonly connectTimeoutMs?: number; readonly reconnect?: Reconnect };
  readonly watch?: McpWatch;
}

export interface McpTools {
  readonly tools: readonly BoundTool[];
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** The tools of an MCP server, each bound as tightly as the user, and then the server, allow. */
export async function fromMCP(source: McpSource, options: McpOptions): Promise<McpTools> {
  const { server, trusted = false, only, labels = {}, connection = {}, watch = {} } = options;
  assertName(server, server);
  const link = await openConnection(source, {
    server,
    trusted,
    connectTimeoutMs: connection.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    reconnect: connection.reconnect ?? 'next_call',
    onToolsChanged: watch.toolsChanged ?? ignore,
  });
  try {
    const listed = await link.list();
    assertLabelled(server, { ...labels, ...asKeys(only ?? []) }, [...listed.keys()]);
    const taken = [...listed.values()].filter(({ tool }) => only?.includes(tool.name) ?? true);
    return { tools: taken.map((each) => bind(link, each, options)), close: () => link.close() };
  } catch (error) {
    await link.close();
    throw error;
  }
}

function bind(link: Connection, listed: ListedTool, options: McpOptions): BoundTool {
  const { server, trusted = false, usual = {}, labels = {}, watch = {} } = options;
  const { tool, version } = listed;
  const { approval_mode: usualMode, ...usually } = usual;
  const name = `${server}.${tool.name}`;
  assertName(name, tool.name);
  const offer = {
    name,
    version,
    description: tool.description ?? tool.title ?? tool.name,
    input_schema: tool.inputSchema as JsonObject,
    output_schema: (tool.outputSchema ?? CONTENT_SCHEMA) as JsonObject,
    source: `mcp:${server}`,
  };
  const own = Object.hasOwn(labels, tool.name) ? labels[tool.name] : undefined;
  const assumed = assumedFromHints(tool.annotations, { trusted, usualMode });
  const spec = importedSpec(offer, assumed, { ...usually, ...own });
  const { progress, media = ignore } = watch;
  return {
    spec,
    execute: async (args, { idempotencyKey, signal, stepId }) => {
      const told =
        progress === undefined ? {} : { onProgress: (p: Progress) => progress({ ...p, tool: name, stepId }) };
      const call = { args, idempotencyKey, signal, timeoutMs: spec.timeout_ms, ...told };
      return plainResult(name, await link.call(listed, call), tool.outputSchema !== undefined, media);
    },
  };
}

function assertName(name: string, given: string): void {
  if (Name.safeParse(name).success) return;
  const message = `"${printable(given)}" cannot be used in the name of a tool; take the others with "only"`;
  throw new Fault('input_invalid', message, { path: '/server' });
}

const ignore = (): void => undefined;

const asKeys = (names: readonly string[]): Readonly<Record<string, true>> =>
  Object.fromEntries(names.map((name) => [name, true]));
