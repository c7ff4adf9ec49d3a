import { defineConfig } from 'ambit';
import { support } from './src/support.ts';

export default defineConfig({
  agents: [support],
  // The journal of all runs. Paths are relative to this file.
  store: 'sqlite:ambit.db',
  world: {
    policy: {
      // Who may approve a refund, and how long the gate stays open.
      gates: { GATE_REFUND: { roles: ['finance'], ttlMs: 24 * 3_600_000 } },
    },
  },
  // The identity of `ambit run`. Your application would pass its signed-in user.
  identity: { actor: 'ada', tenant_id: 'shop', roles: ['support'], scopes: ['orders.lookup', 'payments.refund'] },
});
