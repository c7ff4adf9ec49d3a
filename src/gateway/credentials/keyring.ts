import { Fault } from '../../model/fault.ts';
import type { CredentialBroker, CredentialRequest, ToolCredential } from '../../ports/credentials.ts';
import type { CallLimits } from '../../ports/tools.ts';

/** For which tool, and whether what it was given before has stopped working; for whom is said by the limits of its call. */
type Asking = Pick<CredentialRequest, 'tool' | 'refresh'>;

/**
 * The secrets of one call: asked for when the tool wants them, and known by value so that they can be struck out. Most
 * tools want none, and then nothing is made for them.
 */
export class Keyring {
  readonly #broker: CredentialBroker | undefined;
  readonly #tool: string;
  readonly #limits: Pick<CallLimits, 'signal' | 'caller'>;
  readonly #opened: readonly string[];
  #refresh: boolean;
  #held: Promise<ToolCredential['values']> | null = null;
  #secrets: Set<string> | null = null;

  /** `opened` is what the tool is given in the clear although it is kept sealed: no more to be repeated than a secret. */
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

  /** Always the same set, which grows when a secret is handed out. */
  get secrets(): ReadonlySet<string> {
    return this.#known();
  }

  values(): Promise<ToolCredential['values']> {
    this.#held ??= this.#ask();
    return this.#held;
  }

  /** Whether the tool has asked for any. */
  get used(): boolean {
    return this.#held !== null;
  }

  /** Throws away what was handed out; the next to ask is given a new one. */
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
