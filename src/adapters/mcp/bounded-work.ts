import type { AuthInfo } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../model/json/json.ts';
import type { SessionStatus } from '../../model/run/session-status.ts';
import type { ToolResult } from '../../model/tool/tool.ts';
import type { Credential } from '../../ports/approvers.ts';

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

/** The part of a runtime that an MCP client can reach. */
export interface BoundedWork {
  invoke(request: unknown): Promise<WorkOutcome>;
  approve(
    gateId: string,
    answer: { readonly packetHash: string; readonly credential: Credential; readonly reason: string },
  ): Promise<WorkOutcome>;
  readonly sessions: { outcome(runId: string): Promise<WorkOutcome> };
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
