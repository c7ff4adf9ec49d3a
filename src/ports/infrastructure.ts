import type { JsonObject } from '../model/json/json.ts';

/** A call as the infrastructure below the tools sees it: its target and its tenant. */
export interface OutboundCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly tenantId: string;
  readonly runId: string;
}

export type InfrastructureRuling = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * The lowest layer of the gateway: egress allow-lists, sandboxes, credential scopes. Checked when a call is cleared and
 * again right before it is sent. Its refusal overrides every other layer and every approval; an error counts as a
 * refusal.
 */
export interface Infrastructure {
  permits(call: OutboundCall): InfrastructureRuling;
}
