import { Fault } from '../../model/fault.ts';
import type { CredentialBroker, CredentialRequest, ToolCredential } from '../../ports/credentials.ts';
import type { CallLimits } from '../../ports/tools.ts';

/** The secrets of one call: asked for when the tool wants them, and known by value so that they can be struck out. */
export interface Keyring {
  readonly secrets: ReadonlySet<string>;
  values(): Promise<ToolCredential['values']>;
  /** Whether the tool has asked for any. */
  used(): boolean;
  /** Throws away what was handed out; the next to ask is given a new one. */
  renew(): void;
}

/** `opened` is what the tool is given in the clear although it is kept sealed: no more to be repeated than a secret. */
export function keyring(
  broker: CredentialBroker | undefined,
  request: CredentialRequest,
  limits: Pick<CallLimits, 'signal'>,
  opened: readonly string[] = [],
): Keyring {
  const secrets = new Set<string>(opened);
  let held: Promise<ToolCredential['values']> | null = null;
  let { refresh } = request;
  const ask = async (): Promise<ToolCredential['values']> => {
    if (broker === undefined) throw noBroker(request.tool);
    const { tenantId, values } = await broker.get({ ...request, refresh }, limits.signal);
    for (const value of Object.values(values)) secrets.add(value);
    if (tenantId !== request.tenantId) {
      throw new Fault('permission_denied', `the credential for ${request.tool} belongs to another tenant`);
    }
    return Object.freeze({ ...values });
  };
  return {
    secrets,
    values: () => {
      held ??= ask();
      return held;
    },
    used: () => held !== null,
    renew: () => {
      held = null;
      refresh = true;
    },
  };
}

function noBroker(tool: string): Fault {
  const message = `${tool} asks for credentials and there is no broker: give one as world.services.credentials`;
  return new Fault('permission_denied', message);
}
