import type { BoundedWork, McpCaller } from './bounded-work.ts';
import type { ToMcpOptions } from './to-mcp-options.ts';

/** One client, what it may reach, and what the host has said about both. */
export interface Desk {
  readonly work: BoundedWork;
  readonly caller: McpCaller;
  /** Which client started which run, as far as this process remembers. */
  readonly started: Map<string, string>;
  readonly options: ToMcpOptions;
}

const REMEMBERED_MAX = 100_000;

/** The oldest is forgotten first; a host that has to know for longer says so with `mayRead`. */
export function remember(started: Map<string, string>, runId: string, caller: McpCaller): void {
  started.set(runId, principal(caller));
  const [oldest] = started.keys();
  if (started.size > REMEMBERED_MAX && oldest !== undefined) started.delete(oldest);
}

export const principal = ({ auth }: McpCaller): string => (auth === null ? 'local' : `client ${auth.clientId}`);
