import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpHandlerRequestOptions,
  McpServer,
  originValidationResponse,
  type Transport,
} from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { BoundedWork, McpCaller, WorkFor } from './bounded-work.ts';
import { assertServable, registerTools } from './served-tools.ts';
import { registerWork } from './served-work.ts';
import type { ToMcpOptions } from './to-mcp-options.ts';

/** Bounded work as an MCP server, for as many clients as come. */
export interface McpService {
  /** Streamable HTTP, as a function of the web platform's own types. */
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>;
  /** Standard input and output of this process, or a transport of your own. */
  stdio(transport?: Transport): StdioServerHandle;
  close(): Promise<void>;
}

/**
 * Serves a runtime's agents to other agents: they may start work, ask how it stands, and hand in a person's decision.
 * Where several tenants are served, `work` says for each caller which door is theirs: `(caller) => runtime.within(…)`.
 */
export function toMCP(work: BoundedWork | WorkFor, options: ToMcpOptions): McpService {
  const { name, version = '1', tools = [], hosts = localhostAllowedHostnames() } = options;
  assertServable(tools);
  const started = new Map<string, string>();
  const serverFor = (caller: McpCaller): McpServer => {
    const server = new McpServer({ name, version });
    const desk = { work: typeof work === 'function' ? work(caller) : work, caller, started, options };
    registerWork(server, desk);
    registerTools(server, desk, tools);
    return server;
  };
  const handler = createMcpHandler(({ authInfo }) => serverFor({ auth: authInfo ?? null }));
  return {
    fetch: async (request, given) =>
      hostHeaderValidationResponse(request, [...hosts]) ??
      originValidationResponse(request, [...hosts]) ??
      (await handler.fetch(request, given)),
    stdio: (transport) => serveStdio(() => serverFor({ auth: null }), transport === undefined ? {} : { transport }),
    close: () => handler.close(),
  };
}
