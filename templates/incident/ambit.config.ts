import { type AmbitConfig, defineConfig } from 'ambit';
import { lead } from './src/agent.ts';

const config: AmbitConfig = defineConfig({
  agents: [lead],
  // The journal of all runs. Paths are relative to this file.
  store: 'sqlite:ambit.db',
  // Independent steps run in parallel, here the two lanes.
  limits: { parallelSteps: 2 },
  world: { policy: { gates: { GATE_ONCALL: { roles: ['oncall'] } } } },
  // The user of `ambit run`. Your application passes its signed-in user.
  identity: { actor: 'pager', tenant_id: 'shop', roles: ['sre'], scopes: lead.tools.map(({ spec }) => spec.name) },
});
export default config;
