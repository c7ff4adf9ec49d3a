/** For whom, for which tool and within which scopes something is asked for. Nothing beyond that may be handed out. */
export interface CredentialRequest {
  readonly tool: string;
  readonly runId: string;
  readonly tenantId: string;
  readonly actor: string;
  readonly scopes: readonly string[];
  /** The one handed out before has stopped working: give a new one, or say that there is none. */
  readonly refresh: boolean;
}

/** What a tool proves its right with. The values reach the tool's code and nothing else. */
export interface ToolCredential {
  /** The tenant it belongs to; another's is refused, whoever handed it out. */
  readonly tenantId: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Whose credentials are in the wrong hands, and on whose word. `tools` are all that the run could have asked for. */
export interface RevocationRequest {
  readonly revocationId: string;
  readonly runId: string;
  readonly tenantId: string;
  readonly actor: string;
  readonly tools: readonly string[];
  readonly confirmedBy: string;
}

/** Whoever keeps the secrets. A Fault `permission_denied` says that this caller may not have any. */
export interface CredentialBroker {
  get(request: CredentialRequest, signal: AbortSignal): Promise<ToolCredential>;
  /**
   * Makes worthless whatever was handed out for this run. Asked only where a compromise is confirmed, once a run; after a
   * crash possibly again under the same `revocationId`. Left out, a person has to do it.
   */
  revoke?(request: RevocationRequest, signal: AbortSignal): Promise<void>;
}
