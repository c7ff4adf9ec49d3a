import { createHash } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { GateProgress } from '../../model/gate/gate-terms.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { ToolResult } from '../../model/tool/tool.ts';
import type { Credential } from '../../ports/approvers.ts';
import type { BoundTool } from '../../ports/bound-tool.ts';

/** The state of a run, as far as an MCP client may see it. */
export interface WorkOutcome {
  readonly runId: string;
  readonly status: SessionStatus;
  readonly terminalCode: string | null;
  readonly reason: string | null;
  /** The reason in sentences, as the refusing layer gave it. */
  readonly why: readonly string[];
  readonly pending: readonly {
    readonly gateId: string;
    readonly name: string;
    readonly gates: readonly GateProgress[];
    readonly stepId: string | null;
    readonly packetHash: string;
    readonly expiresAt: number;
  }[];
  readonly question: {
    readonly questionId: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
  } | null;
  readonly authority: string | null;
  readonly text: string | null;
}

/** The part of a runtime that an MCP client can reach. */
export interface BoundedWork {
  invoke(request: unknown): Promise<WorkOutcome>;
  approve(
    gateId: string,
    answer: {
      readonly packetHash: string;
      readonly credential: Credential;
      readonly reason: string;
      readonly gates?: readonly string[];
    },
  ): Promise<WorkOutcome>;
  readonly sessions: { get(runId: string): Promise<WorkOutcome> };
  readonly gates: { packet(packetHash: string): Promise<JsonObject> };
  readonly records: {
    /** The request and the response of every tool call. */
    transcripts(runId: string): Promise<readonly { readonly result: Pick<ToolResult, 'outcome' | 'raw'> }[]>;
    /** A text that the run stores outside its journal, such as a large answer. */
    document(runId: string, address: string): Promise<string>;
  };
}

/** The client, as the host's own authentication established it. Claims of the client itself do not count. */
export interface McpCaller {
  readonly auth: AuthInfo | null;
}

/** A client's request for work. It cannot say for whom the work is done. */
export interface AskedWork {
  readonly goal: string;
  readonly intent?: string | undefined;
  readonly inputs?: JsonObject | undefined;
  /** The read-only tool that is called by name; left out if an agent does the work. */
  readonly tool?: string;
}

/** The host's function that returns what a caller can reach. */
export type WorkFor = (caller: McpCaller) => BoundedWork;

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
  /** Whether a caller may read a run. Default: only the user who started it in this process. */
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
  /** The user who started each run, as far as this process remembers. */
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

/**
 * The user behind a caller. Many users may share one OAuth client, so the client id is no identity of a user: the host
 * names the user in `extra.sub`, and without it only the same token counts as the same user.
 */
export function principal({ auth }: McpCaller): string {
  if (auth === null) return 'local';
  const { clientId, token, extra } = auth;
  const sub = extra?.['sub'];
  const user = typeof sub === 'string' && sub !== '' ? ['sub', sub] : ['token', digestOf(token)];
  return JSON.stringify([clientId, ...user]);
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');
