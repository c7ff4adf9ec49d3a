import { defineConfig } from 'ambit';
import { support } from './src/support.ts';

export default defineConfig({
  agents: [support],
  // Every decision, chained and durable. Paths are meant from this file.
  store: 'sqlite:ambit.db',
  world: {
    policy: {
      // Who may decide the gate of a refund, and for how long it waits for them.
      gates: { GATE_REFUND: { roles: ['finance'], ttlMs: 24 * 3_600_000 } },
    },
  },
  // For whom `ambit run` acts: your own application would say whom it has signed in.
  identity: { actor: 'ada', tenant_id: 'shop', roles: ['support'], scopes: ['orders.lookup', 'payments.refund'] },
});
