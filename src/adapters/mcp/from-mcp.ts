import type { Progress, ToolAnnotations } from '@modelcontextprotocol/client';
import { Fault } from '../../model/fault/fault.ts';
import { guardInput } from '../../model/fault/guard-input.ts';
import { type ApprovalMode, compareModes } from '../../model/gate/approval-mode.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { Name } from '../../model/json/name.ts';
import { optionPaths } from '../../model/json/option-paths.ts';
import { printable } from '../../model/json/printable.ts';
import {
  assertKnownLabels,
  importedSpec,
  type ToolAssumptions,
  type ToolLabel,
  UNDECLARED,
} from '../../model/tool/imported-tool.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import { type ListedTool, type McpConnection, openMcpConnection, type Reconnect } from './connection.ts';
import type { McpSource } from './link.ts';
import { CONTENT_SCHEMA, type KeepMedia, plainResult } from './plain-result.ts';

export interface CallProgress extends Progress {
  readonly tool: string;
  readonly stepId: string;
}

export interface McpWatch {
  readonly progress?: (progress: CallProgress) => void;
  /** Called when the server announces that its tools have changed. Calls to changed tools are refused from then on. */
  readonly toolsChanged?: () => void;
  /** Receives the bytes of an image, a sound or a file; the result holds only its handle. */
  readonly media?: KeepMedia;
}

export interface McpOptions {
  /** The first part of every tool name: with `files`, `read_file` becomes `files.read_file`. */
  readonly server: string;
  /** Believes the server's hints. Otherwise they can only make a tool stricter. Results stay untrusted either way. */
  readonly trusted?: boolean;
  /** The tools to import, by the server's own names. Default: all. */
  readonly only?: readonly string[];
  /** Default labels of the server's tools. Labels of single tools, and hints as far as they count, override them. */
  readonly usual?: ToolLabel;
  /** Labels of single tools, by the server's own names. Hints do not change them. */
  readonly labels?: Readonly<Record<string, ToolLabel>>;
  readonly connection?: { readonly connectTimeoutMs?: number; readonly reconnect?: Reconnect };
  readonly watch?: McpWatch;
}

export interface McpTools {
  readonly tools: readonly BoundTool[];
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Imports the tools of an MCP server, each bounded by its labels and then by the server's hints. */
export const fromMCP: (source: McpSource, options: McpOptions) => Promise<McpTools> = guardInput(
  'fromMCP',
  async (source: McpSource, options: McpOptions): Promise<McpTools> => {
    const { server, trusted = false, only, labels = {}, connection = {}, watch = {} } = options;
    assertName(server, server);
    const link = await openMcpConnection(source, {
      server,
      trusted,
      connectTimeoutMs: connection.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      reconnect: connection.reconnect ?? 'next_call',
      onToolsChanged: watch.toolsChanged ?? ignore,
    });
    try {
      const listed = await link.list();
      assertKnownLabels(server, { ...labels, ...asKeys(only ?? []) }, [...listed.keys()]);
      const taken = [...listed.values()].filter(({ tool }) => only?.includes(tool.name) ?? true);
      return { tools: taken.map((each) => bind(link, each, options)), close: () => link.close() };
    } catch (error) {
      await link.close();
      throw error;
    }
  },
);

function bind(link: McpConnection, listed: ListedTool, options: McpOptions): BoundTool {
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
    stated: optionPaths({ ...usual, ...own }),
    execute: async (args, { idempotencyKey, signal, stepId }) => {
      const progressOption =
        progress === undefined ? {} : { onProgress: (p: Progress) => progress({ ...p, tool: name, stepId }) };
      const call = { args, idempotencyKey, signal, timeoutMs: spec.timeout_ms, ...progressOption };
      return plainResult(name, await link.call(listed, call), tool.outputSchema !== undefined, media);
    },
  };
}

function assertName(name: string, shown: string): void {
  if (Name.safeParse(name).success) return;
  const message = `"${printable(shown)}" cannot be used in the name of a tool; take the others with "only"`;
  throw new Fault('input_invalid', message, { path: '/server' });
}

const ignore = (): void => undefined;

const asKeys = (names: readonly string[]): Readonly<Record<string, true>> =>
  Object.fromEntries(names.map((name) => [name, true]));

/** Whether the server is trusted, and the user's default mode for its tools. */
interface HintSource {
  readonly trusted: boolean;
  readonly usualMode: ApprovalMode | undefined;
}

/**
 * Derives a tool's properties from the server's hints. Hints of an untrusted server can only make the tool stricter,
 * and a missing hint counts as the worst case.
 */
export function assumedFromHints(hints: ToolAnnotations = {}, { trusted, usualMode }: HintSource): ToolAssumptions {
  const declared = declaredMode(hints);
  const base = usualMode ?? UNDECLARED.approval_mode;
  if (!trusted) return { ...UNDECLARED, approval_mode: stricter(base, declared ?? base) };
  const isRepeatable = hints.readOnlyHint === true || hints.idempotentHint === true;
  return {
    approval_mode: declared ?? base,
    side_effect: hints.readOnlyHint !== true,
    external: hints.openWorldHint !== false,
    idempotency: isRepeatable ? { kind: 'natural' } : UNDECLARED.idempotency,
    asks: false,
  };
}

/** Returns null if the server declares neither that the tool is read-only nor whether it is destructive. */
function declaredMode({ readOnlyHint, destructiveHint, openWorldHint }: ToolAnnotations): ApprovalMode | null {
  if (readOnlyHint === undefined && destructiveHint === undefined) return null;
  const isClosed = openWorldHint === false;
  if (readOnlyHint === true && destructiveHint !== true) return isClosed ? 'read_only' : 'network';
  if (destructiveHint === false) return isClosed ? 'local_write' : 'network';
  return 'destructive';
}

const stricter = (a: ApprovalMode, b: ApprovalMode): ApprovalMode => (compareModes(a, b) >= 0 ? a : b);
