import type { RunRequest, StartRequest } from 'ambit';

/** The request of a customer service application for a signed-in customer. */
export const refundRequest: RunRequest = {
  mode: 'standard',
  tenant_id: 'tenant_acme_prod',
  agent: 'support',
  intent: 'support.refund',
  goal: { statement: 'Refund order ord_881, which arrived damaged' },
  inputs: { order_id: 'ord_881' },
  identity: {
    actor: 'customer_ada',
    tenant_id: 'tenant_acme_prod',
    roles: ['support_agent'],
    scopes: ['orders.read', 'policy.read', 'payments.refund'],
    expires_at: 4_000_000_000_000,
  },
};

/** A question with two parts, which two tools answer. */
export const QUESTION = 'Which plan am I on, and what did I pay in April?';

/** The same customer asks. A user without roles may only read. */
export const questionRequest: StartRequest = {
  message: QUESTION,
  user: { name: 'customer_ada', tenant: 'tenant_acme_prod' },
  inputs: { customer_id: 'customer_ada' },
};
