import type { AuthInfo } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../model/json.ts';
import type { SessionStatus } from '../../model/session-status.ts';
import type { ToolResult } from '../../model/tool.ts';
import type { Credential } from '../../ports/approvers.ts';

/** How a run stands, as far as an MCP client is told. */
export interface WorkOutcome {
  readonly runId: string;
  readonly status: SessionStatus;
  readonly terminalCode: string | null;
  readonly reason: string | null;
  /** The reason in sentences, of whoever refused. */
  readonly why: readonly string[];
  readonly pending: readonly {
    readonly gateId: string;
    readonly name: string;
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
  readonly answer: string | null;
}

/** What is served: the part of a runtime that an MCP client may reach. */
export interface BoundedWork {
  invoke(request: unknown): Promise<WorkOutcome>;
  outcome(runId: string): Promise<WorkOutcome>;
  packet(packetHash: string): Promise<JsonObject>;
  /** What was sent and what came back. */
  transcripts(runId: string): Promise<readonly { readonly result: Pick<ToolResult, 'outcome' | 'raw'> }[]>;
  /** A text that the run has kept beside its journal. */
  document(runId: string, address: string): Promise<string>;
  approve(
    gateId: string,
    answer: { readonly packetHash: string; readonly credential: Credential; readonly reason: string },
  ): Promise<WorkOutcome>;
}

/** Who is at the other end, as the host's own authentication established it; nobody is known by what they say. */
export interface McpCaller {
  readonly auth: AuthInfo | null;
}

/** What a client may say about the work it wants done. Who it is for is not among it. */
export interface AskedWork {
  readonly goal: string;
  readonly intent?: string | undefined;
  readonly inputs?: JsonObject | undefined;
  /** The read-only tool that is called by its name; absent where an agent is to do the work. */
  readonly tool?: string;
}

/** What one caller may reach, which is for the host to say. */
export type WorkFor = (caller: McpCaller) => BoundedWork;
