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

/** Whoever keeps the secrets. A Fault `permission_denied` says that this caller may not have any. */
export interface CredentialBroker {
  get(request: CredentialRequest, signal: AbortSignal): Promise<ToolCredential>;
}
