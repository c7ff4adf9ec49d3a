import { isEnvelope } from '../../model/run/run-request.ts';
import type { Runtime } from '../runtime.ts';
import type { VerifyOptions } from '../verify-plan.ts';
import { assertCurrent, ownInput, plainInput, type Tenancy, withIdentity } from './tenancy.ts';

/** The questions about agents that a tenant may ask. */
interface AskableAgents {
  readonly agents: Runtime['agents'] & { breakers(): readonly { readonly tenantId: string }[] };
}

/** Plans are previewed for the identity of the tenant, and only its own breakers are shown. */
export function ownAgents(tenancy: Tenancy, { agents }: AskableAgents): AskableAgents['agents'] {
  return {
    dryRun: async (plan, options) => await agents.dryRun(plan, asTenant(tenancy, options)),
    breakers: () => {
      assertCurrent(tenancy);
      return agents.breakers().filter(({ tenantId }) => tenantId === tenancy.identity.tenant_id);
    },
  };
}

export const ownVerify =
  (tenancy: Tenancy, { verify }: Pick<Runtime, 'verify'>): Runtime['verify'] =>
  async (plan, options) =>
    await verify(plan, asTenant(tenancy, options));

/** The options with the identity of the tenant. A request that claims another identity is rejected. */
function asTenant(tenancy: Tenancy, options: VerifyOptions = {}): VerifyOptions {
  assertCurrent(tenancy);
  const { request = {}, ...rest } = plainInput(options);
  const plain = plainInput(request);
  return { ...rest, request: withIdentity(tenancy, isEnvelope(plain) ? ownInput(tenancy, plain) : plain) };
}
