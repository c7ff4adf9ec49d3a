import type { RunRequest } from 'ambit';

/** What a customer service application sends: for whom it asks, as it has signed them in, which tenant, and what for. */
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
