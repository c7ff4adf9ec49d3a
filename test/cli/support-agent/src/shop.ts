import { readFileSync, writeFileSync } from 'node:fs';
import { tool } from 'ambit';
import { z } from 'zod';

const Order = z.object({ order_id: z.string(), customer: z.string(), total_cents: z.int().positive() });
const Refund = z.object({ refund_id: z.string(), order_id: z.string(), amount_cents: z.int() });

const ORDERS: Readonly<Record<string, z.infer<typeof Order>>> = {
  ord_881: { order_id: 'ord_881', customer: 'ada', total_cents: 4200 },
};

/** The refunds of the demo shop, one per idempotency key. A repeated call returns the first refund. */
const REFUNDS = new URL('../refunds.json', import.meta.url);

export const lookUpOrder = tool({
  name: 'orders.lookup',
  description: 'Look up an order',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: Order,
  execute: ({ order_id }) => ORDERS[order_id],
  effects: { produces: ['order'] },
  risk: { trusted: true },
  rules: { action: 'summarize_account' },
  conditions: { account_holder: '/customer' }, // a refund is only for the customer of the order
});

export const refundOrder = tool({
  name: 'payments.refund',
  description: 'Refund an order to its original payment method',
  approvalMode: 'destructive',
  inputSchema: z.object({ order_id: z.string(), amount_cents: z.int().positive() }),
  outputSchema: Refund,
  execute: (input, { idempotencyKey }) => {
    const refunds = readRefunds();
    const refund = refunds[idempotencyKey] ?? { refund_id: `rf_${Object.keys(refunds).length + 1}`, ...input };
    writeFileSync(REFUNDS, JSON.stringify({ ...refunds, [idempotencyKey]: refund }, null, 2));
    return refund;
  },
  effects: { produces: ['refund'], idempotency: { kind: 'key', retentionMs: 86_400_000 } },
  risk: {
    category: 'payment',
    gates: ['GATE_REFUND'],
    trusted: true,
    blastRadius: 'One payment to the customer of the order.',
    rollback: 'Ask the payment provider to cancel it within an hour.',
  },
  rules: { action: 'refund' },
});

function readRefunds(): Record<string, z.infer<typeof Refund>> {
  try {
    return JSON.parse(readFileSync(REFUNDS, 'utf8'));
  } catch {
    return {};
  }
}
