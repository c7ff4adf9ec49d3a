import { type Agent, agent } from 'ambit';
import { model } from './model.ts';
import { lookUpOrder } from './orders.ts';

/** The model plans with the tools and writes the answers. Only sentences that follow from results are released. */
export const helpdesk: Agent = agent({
  name: 'helpdesk',
  model,
  tools: [lookUpOrder],
  boundary: 'customer_support',
  budget: 'standard',
});
