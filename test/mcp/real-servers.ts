/** Real MCP servers from npm, run by the same Node.js, and helpers to call their tools as the gateway does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  fromMCP,
  type HttpServer,
  type McpOptions,
  type McpTools,
  type StdioServer,
} from '../../src/adapters/mcp/index.ts';
import type { Json, JsonObject } from '../../src/model/json/json.ts';
import type { BoundTool, ToolContext } from '../../src/ports/bound-tool.ts';
import { NO_MODELS } from '../../src/ports/model/language-model.ts';

type Published = 'everything' | 'filesystem' | 'memory';

const FILES: Readonly<Record<Published, string>> = {
  everything: import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
};

export function stdioServer(name: Published, ...args: readonly string[]): StdioServer {
  return { command: process.execPath, args: [fileURLToPath(FILES[name]), ...args] };
}

/** A test server with behaviour that no published one has; see `test/mcp/servers/`. */
export function ownServer(file: string, ...args: readonly string[]): StdioServer {
  return { command: process.execPath, args: [fileURLToPath(new URL(`servers/${file}`, import.meta.url)), ...args] };
}

export const EVERYTHING: StdioServer = stdioServer('everything', 'stdio');

export interface RunningServer extends AsyncDisposable {
  readonly config: HttpServer;
  readonly child: ChildProcess;
  readonly port: number;
}

/** The everything server over streamable HTTP on a free port. */
export async function everythingOverHttp(port?: number): Promise<RunningServer> {
  const at = port ?? (await freePort());
  const { command, args = [] } = stdioServer('everything', 'streamableHttp');
  const env = { ...process.env, PORT: String(at) };
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of child.stderr) if (String(chunk).includes('listening')) break;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  };
  return { config: { url: `http://127.0.0.1:${at}/mcp` }, child, port: at, [Symbol.asyncDispose]: stop };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export interface Imported extends AsyncDisposable {
  readonly tools: readonly BoundTool[];
  tool(name: string): BoundTool;
  call(name: string, args?: JsonObject, signal?: AbortSignal): Promise<Json | undefined>;
}

/** Imports the tools and closes the connection at the end of the scope. */
export async function imported(source: Parameters<typeof fromMCP>[0], options: McpOptions): Promise<Imported> {
  return callable(await fromMCP(source, options));
}

function callable({ tools, close }: McpTools): Imported {
  const tool = (name: string): BoundTool => {
    const found = tools.find(({ spec }) => spec.name === name);
    if (found === undefined) throw new Error(`there is no ${name} among ${tools.map(({ spec }) => spec.name).join()}`);
    return found;
  };
  return {
    tools,
    tool,
    call: async (name, args = {}, signal = new AbortController().signal) =>
      await tool(name).execute(args, callContext({ idempotencyKey: `key_${name}`, signal })),
    [Symbol.asyncDispose]: close,
  };
}

/** The context that the gateway passes to a tool with its arguments. */
export function callContext(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    idempotencyKey: 'key_1',
    signal: new AbortController().signal,
    runId: 'run_1',
    stepId: 's1',
    inputs: [],
    tenantId: 'tenant_a',
    actor: 'ada',
    credentials: () => Promise.resolve({}),
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    files: { read: () => Promise.reject(new Error('no files')), write: () => Promise.reject(new Error('no files')) },
    models: NO_MODELS,
    reportGpuMs: ignore,
    ...changes,
  };
}

const ignore = (): void => undefined;
