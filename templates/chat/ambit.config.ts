import { type AmbitConfig, defineConfig } from 'ambit';
import { helpdesk } from './src/agent.ts';

const config: AmbitConfig = defineConfig({
  agents: [helpdesk],
  // The journal of all runs. Paths are relative to this file.
  store: 'sqlite:ambit.db',
  // The user of `ambit run`. Your application passes its signed-in user.
  identity: { actor: 'ada', tenant_id: 'shop', roles: [], scopes: ['orders.lookup'] },
});
export default config;
