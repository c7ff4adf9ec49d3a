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
import type { BoundedWork, McpCaller, ToMcpOptions, WorkFor } from './bounded-work.ts';
import { assertServable, registerTools, registerWork } from './served-work.ts';

/** An MCP server for any number of clients. */
export interface McpService {
  /** Serves streamable HTTP, as a function of web-standard types. */
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>;
  /** Serves standard input and output of this process, or a given transport. */
  stdio(transport?: Transport): StdioServerHandle;
  close(): Promise<void>;
}

/**
 * Serves a runtime's agents to MCP clients, which can start work, read its state and submit a person's decision. With
 * several tenants, pass a function that returns the runtime of the caller's tenant: `(caller) => runtime.within(…)`.
 */
export function toMCP(work: BoundedWork | WorkFor, options: ToMcpOptions): McpService {
  const { name, version = '1', tools = [], hosts = localhostAllowedHostnames() } = options;
  assertServable(tools);
  const started = new Map<string, string>();
  const serverFor = (caller: McpCaller): McpServer => {
    const server = new McpServer({ name, version });
    const context = { work: typeof work === 'function' ? work(caller) : work, caller, started, options };
    registerWork(server, context);
    registerTools(server, context, tools);
    return server;
  };
  const handler = createMcpHandler(({ authInfo }) => serverFor({ auth: authInfo ?? null }));
  return {
    fetch: async (request, requestOptions) =>
      hostHeaderValidationResponse(request, [...hosts]) ??
      originValidationResponse(request, [...hosts]) ??
      (await handler.fetch(request, requestOptions)),
    stdio: (transport) => serveStdio(() => serverFor({ auth: null }), transport === undefined ? {} : { transport }),
    close: () => handler.close(),
  };
}
