import { tool } from 'ambit';
import { z } from 'zod';

const Order = z.object({ order_id: z.string(), customer: z.string(), total_cents: z.int().positive() });
const Refund = z.object({ refund_id: z.string(), order_id: z.string(), amount_cents: z.int(), status: z.string() });

const ORDERS: Readonly<Record<string, z.infer<typeof Order>>> = {
  ord_881: { order_id: 'ord_881', customer: 'ada', total_cents: 4200 },
};

/** The refunds of this process by idempotency key. A payment provider keeps such a table, so a repeat pays once. */
const REFUNDS = new Map<string, z.infer<typeof Refund>>();

export const lookUpOrder = tool({
  name: 'orders.lookup',
  description: 'Look up an order: its customer and its total',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: Order,
  execute: ({ order_id }) => ORDERS[order_id],
  risk: { trusted: true },
  conditions: { account_holder: '/customer' }, // a refund is only for the customer of the order
});

export const refundOrder = tool({
  name: 'payments.refund',
  description: 'Refund an order to its original payment method',
  approvalMode: 'destructive',
  inputSchema: z.object({ order_id: z.string(), amount_cents: z.int().positive() }),
  outputSchema: Refund,
  execute: (input, { idempotencyKey }) => {
    const refund = REFUNDS.get(idempotencyKey) ?? { refund_id: `rf_${REFUNDS.size + 1}`, ...input, status: 'refunded' };
    REFUNDS.set(idempotencyKey, refund);
    return refund;
  },
  effects: { produces: ['refund'], idempotency: { kind: 'key', retentionMs: 86_400_000 } },
  // The gate at which a person decides about exactly this call. `ambit.config.ts` says who.
  risk: {
    gates: ['GATE_REFUND'],
    category: 'payment',
    trusted: true,
    blastRadius: 'One payment to the customer of the order.',
    rollback: 'Ask the payment provider to cancel it within an hour.',
  },
  rules: { action: 'refund' },
});
