import type { Credential } from '../../ports/approvers.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';
import type { AskedWork, McpCaller } from './bounded-work.ts';

/**
 * How a decision through MCP is shown to be a person's: by the signature it carries, or by what the host says about the
 * caller. A caller about whom the host says nothing decides nothing.
 */
export type Approvals = 'signed' | 'none' | ((caller: McpCaller) => Credential | null);

export interface ToMcpOptions {
  readonly name: string;
  readonly version?: string;
  /** Makes the request of a run out of what is asked and who asks. Identity and tenant are yours to fill in. */
  readonly request: (asked: AskedWork, caller: McpCaller) => unknown;
  readonly approvals?: Approvals;
  /** Who may ask how a run stands; by default only the client that started it, in this process. */
  readonly mayRead?: (runId: string, caller: McpCaller) => boolean | Promise<boolean>;
  /** Read-only tools of the runtime that can be called by name. Each call is a run of its own, with one step. */
  readonly tools?: readonly BoundTool[];
  /** The host names under which it may be reached over HTTP; only this machine's own when it is absent. */
  readonly hosts?: readonly string[];
}
