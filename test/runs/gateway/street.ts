import { sha256 } from '../../../src/adapters/node/sha256.ts';
import type { Dispatch, Street } from '../../../src/gateway/call-tool.ts';
import { createBreakers } from '../../../src/gateway/limits/breakers.ts';
import { createRates } from '../../../src/gateway/limits/rates.ts';
import { createSlots } from '../../../src/gateway/limits/slots.ts';
import type { Tools } from '../../../src/ports/tools.ts';
import { simulatedClock } from '../../../src/testing/simulated-clock.ts';

/** A call of a tool that only reads, as the gateway is given it. */
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

/** All that stands between the gateway and the tools, with nothing in the way. */
export function streetTo(tools: Tools, changes: Partial<Street> = {}): Street {
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
