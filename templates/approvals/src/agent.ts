import { type Agent, agent } from 'ambit';
import { model } from './model.ts';
import { lookUpOrder, refundOrder } from './shop.ts';

/** The model plans the refund. The plan is checked, and the payment waits for a person. */
export const support: Agent = agent({
  name: 'support',
  model,
  tools: [lookUpOrder, refundOrder],
  boundary: 'customer_support',
  budget: 'standard',
  // The strictest mode that each role may start. Without a role, a user only reads.
  settings: { roles: { support: 'destructive' } },
});
