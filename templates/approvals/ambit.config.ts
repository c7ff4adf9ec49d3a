import { type AmbitConfig, defineConfig } from 'ambit';
import { support } from './src/agent.ts';

const config: AmbitConfig = defineConfig({
  agents: [support],
  // The journal of all runs. Paths are relative to this file.
  store: 'sqlite:ambit.db',
  world: {
    policy: {
      // Who may approve a refund, and how long the gate stays open.
      gates: { GATE_REFUND: { roles: ['finance'], ttlMs: 24 * 3_600_000 } },
    },
  },
  // The user of `ambit run`. Your application passes its signed-in user.
  identity: { actor: 'ada', tenant_id: 'shop', roles: ['support'], scopes: ['orders.lookup', 'payments.refund'] },
});
export default config;
