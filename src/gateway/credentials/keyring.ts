import { Fault } from '../../model/fault/fault.ts';
import { type Redactor, redactor } from '../../model/text/redact/redact.ts';
import type { CallLimits } from '../../ports/bound-tool.ts';
import type { CredentialBroker, CredentialRequest, ToolCredential } from '../../ports/credentials.ts';

/** The tool, and whether its last credential has expired. The caller is in the limits of the call. */
type Asking = Pick<CredentialRequest, 'tool' | 'refresh'>;

/** The secrets of one call, fetched on first use, because most tools use none, and remembered for redaction. */
export class Keyring {
  readonly #broker: CredentialBroker | undefined;
  readonly #tool: string;
  readonly #limits: Pick<CallLimits, 'signal' | 'caller'>;
  readonly #opened: readonly string[];
  #refresh: boolean;
  #held: Promise<ToolCredential['values']> | null = null;
  #secrets: Set<string> | null = null;
  #redactor: Redactor | null = null;

  /** `opened` are the unsealed argument values, which are redacted like secrets. */
  constructor(
    broker: CredentialBroker | undefined,
    { tool, refresh }: Asking,
    limits: Pick<CallLimits, 'signal' | 'caller'>,
    opened: readonly string[],
  ) {
    this.#broker = broker;
    this.#tool = tool;
    this.#limits = limits;
    this.#opened = opened;
    this.#refresh = refresh;
  }

  get isEmpty(): boolean {
    return this.#secrets === null ? this.#opened.length === 0 : this.#secrets.size === 0;
  }

  /** Removes the secrets of this call from what the tool says, also those that are handed out later. */
  get redactor(): Redactor {
    this.#redactor ??= redactor(this.#known());
    return this.#redactor;
  }

  values(): Promise<ToolCredential['values']> {
    this.#held ??= this.#ask();
    return this.#held;
  }

  /** Whether the tool has requested credentials. */
  get used(): boolean {
    return this.#held !== null;
  }

  /** Drops the current credential; the next request fetches a new one. */
  renew(): void {
    this.#held = null;
    this.#refresh = true;
  }

  #known(): Set<string> {
    this.#secrets ??= new Set(this.#opened);
    return this.#secrets;
  }

  async #ask(): Promise<ToolCredential['values']> {
    const tool = this.#tool;
    if (this.#broker === undefined) throw noBroker(tool);
    const { runId, tenantId, actor, scopes } = this.#limits.caller;
    const request: CredentialRequest = { tool, runId, tenantId, actor, scopes, refresh: this.#refresh };
    const { tenantId: owner, values } = await this.#broker.get(request, this.#limits.signal);
    for (const value of Object.values(values)) this.#known().add(value);
    if (owner !== tenantId) {
      throw new Fault('permission_denied', `the credential for ${tool} belongs to another tenant`);
    }
    return Object.freeze({ ...values });
  }
}

function noBroker(tool: string): Fault {
  const message = `${tool} asks for credentials and there is no broker: give one as world.services.credentials`;
  return new Fault('permission_denied', message);
}
