import type { JsonObject } from '../model/json.ts';

/** A call as the machinery under the tools sees it: where it would go and in whose name. */
export interface OutboundCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly tenantId: string;
  readonly runId: string;
}

export type InfrastructureRuling = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * The layer below every other: egress allow-lists, sandboxes, the scope of credentials. Asked when a call is cleared and
 * once more right before it is sent. Its no wins over whatever any other layer, or any person, has permitted; a port
 * that throws has said no.
 */
export interface Infrastructure {
  permits(call: OutboundCall): InfrastructureRuling;
}
