import type { Credential } from '../../ports/approvers.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { AskedWork, BoundedWork, McpCaller } from './bounded-work.ts';

/**
 * How an MCP decision is attributed to a person: by its signature, or by the credential that the host returns for the
 * caller. A caller for whom the host returns null cannot decide.
 */
export type Approvals = 'signed' | 'none' | ((caller: McpCaller) => Credential | null);

export interface ToMcpOptions {
  readonly name: string;
  readonly version?: string;
  /** Builds the request of a run from a client's request. The host adds the identity and the tenant. */
  readonly request: (asked: AskedWork, caller: McpCaller) => unknown;
  readonly approvals?: Approvals;
  /** Whether a caller may read a run. Default: only the client that started it in this process. */
  readonly mayRead?: (runId: string, caller: McpCaller) => boolean | Promise<boolean>;
  /** Read-only tools that clients can call by name. Each call is a run with one step. */
  readonly tools?: readonly BoundTool[];
  /** The host names accepted over HTTP. Default: those of the local machine. */
  readonly hosts?: readonly string[];
}

/** The context of one client: its work, its identity and the host's options. */
export interface ClientContext {
  readonly work: BoundedWork;
  readonly caller: McpCaller;
  /** The client that started each run, as far as this process remembers. */
  readonly started: Map<string, string>;
  readonly options: ToMcpOptions;
}

const REMEMBERED_MAX = 100_000;

/** Records who started a run and drops the oldest record. A host that needs a longer memory sets `mayRead`. */
export function remember(started: Map<string, string>, runId: string, caller: McpCaller): void {
  started.set(runId, principal(caller));
  const [oldest] = started.keys();
  if (started.size > REMEMBERED_MAX && oldest !== undefined) started.delete(oldest);
}

export const principal = ({ auth }: McpCaller): string => (auth === null ? 'local' : `client ${auth.clientId}`);
