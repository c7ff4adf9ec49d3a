/**
 * `ambit/mcp`: tools of MCP servers for Ambit's agents, and Ambit's agents for MCP clients.
 * @module
 */
export type { ToolLabel } from '../../model/tool/imported-tool.ts';
export type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
export type {
  Approvals,
  AskedWork,
  BoundedWork,
  McpCaller,
  ToMcpOptions,
  WorkFor,
  WorkOutcome,
} from './bounded-work.ts';
export type { Reconnect } from './connection.ts';
export { KEY_META } from './connection.ts';
export { type CallProgress, fromMCP, type McpOptions, type McpTools, type McpWatch } from './from-mcp.ts';
export type { HttpServer, McpSource, StdioServer } from './link.ts';
export type { KeepMedia, MediaHandle } from './plain-result.ts';
export type { RunReport } from './to-mcp.ts';
export { type McpService, toMCP } from './to-mcp.ts';
