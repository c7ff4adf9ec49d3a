/** A request for credentials: tenant, caller, tool and scopes. The broker must not grant more than that. */
export interface CredentialRequest {
  readonly tool: string;
  readonly runId: string;
  readonly tenantId: string;
  readonly actor: string;
  readonly scopes: readonly string[];
  /** True if the previous credential has stopped working: the broker returns a new one or fails. */
  readonly refresh: boolean;
}

/** The secrets of a tool. Only the tool's code receives the values. */
export interface ToolCredential {
  /** The tenant that owns it. A credential of another tenant is refused. */
  readonly tenantId: string;
  readonly values: Readonly<Record<string, string>>;
}

/** A request to revoke compromised credentials. `tools` lists every tool whose credentials the run could request. */
export interface RevocationRequest {
  readonly revocationId: string;
  readonly runId: string;
  readonly tenantId: string;
  readonly actor: string;
  readonly tools: readonly string[];
  readonly confirmedBy: string;
}

/** The host's secret store. A `permission_denied` Fault means that this caller may not have credentials. */
export interface CredentialBroker {
  get(request: CredentialRequest, signal: AbortSignal): Promise<ToolCredential>;
  /**
   * Revokes every credential issued for this run. Called only after a confirmed compromise, once per run, and possibly
   * again with the same `revocationId` after a crash. Without it, a person has to revoke them.
   */
  revoke?(request: RevocationRequest, signal: AbortSignal): Promise<void>;
}
