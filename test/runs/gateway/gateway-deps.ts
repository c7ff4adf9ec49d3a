import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { Dispatch, GatewayDeps } from '../../../src/gateway/dispatch/call-tool.ts';
import { createBreakers } from '../../../src/gateway/limits/breakers.ts';
import { createRates } from '../../../src/gateway/limits/rates.ts';
import { createSlots } from '../../../src/gateway/limits/slots.ts';
import type { Tools } from '../../../src/ports/bound-tool.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';

/** A dispatch of a read-only tool. */
export const DISPATCH: Dispatch = {
  call: {
    call_id: 'call_1',
    step_id: 'a',
    tool: 'read',
    args: {},
    args_hash: 'sha256:0',
    idempotency_key: 'key_1',
    attempt: 1,
  },
  limits: undefined,
  behind: [],
  run: { runId: 'run_1', tenantId: 'acme', actor: 'agt', scopes: [] },
  timeoutMs: 1_000,
  notBefore: 0,
  dispatchBefore: 10,
};

/** The dependencies of the gateway, with nothing that limits or denies a call. */
export function gatewayDeps(tools: Tools, changes: Partial<GatewayDeps> = {}): GatewayDeps {
  const clock = simulatedClock(0);
  return {
    tools,
    infrastructure: { permits: () => ({ ok: true }) },
    clock,
    timer: clock,
    hash: sha256,
    breakers: createBreakers({ failuresMax: 2, openMs: 1_000 }),
    rates: createRates(),
    slots: createSlots(),
    ...changes,
  };
}
