import { type BoundTool, type JsonObject, tool } from 'ambit';
import { z } from 'zod';

/** A shop small enough to read: orders, a refund policy, and a payment provider that counts what it was told to do. */
export interface Shop {
  readonly tools: readonly BoundTool[];
  /** Refunds by idempotency key. The same key twice is one refund. */
  readonly refunds: ReadonlyMap<string, JsonObject>;
}

const id = z.string().min(1);
const cents = z.int().positive();

/** `holder` is whose account the order is on. */
const Order = z.object({
  order_id: id,
  holder: id,
  total_cents: cents,
  delivered: z.boolean(),
  damaged: z.boolean(),
});

export function openShop(): Shop {
  const orders = new Map<string, z.infer<typeof Order>>([
    ['ord_881', { order_id: 'ord_881', holder: 'customer_ada', total_cents: 4200, delivered: true, damaged: true }],
    ['ord_882', { order_id: 'ord_882', holder: 'customer_bo', total_cents: 99_000, delivered: true, damaged: false }],
  ]);
  const refunds = new Map<string, { refund_id: string; order_id: string; amount_cents: number }>();

  const lookup = tool({
    name: 'adp_orders.lookup',
    description: 'Look an order up',
    approvalMode: 'read_only',
    inputSchema: z.object({ order_id: id }),
    outputSchema: Order,
    execute: ({ order_id }) => orders.get(order_id),
    effects: { produces: ['order', 'account'] },
    risk: { category: 'live_api', trusted: true },
    rules: { action: 'summarize_account' },
  });

  const policy = tool({
    name: 'adp_policy.eval',
    description: 'Say whether the refund policy covers an order',
    approvalMode: 'read_only',
    inputSchema: Order.omit({ delivered: true, holder: true }),
    outputSchema: z.object({ allowed: z.boolean(), amount_cents: cents, rule: z.string() }),
    execute: ({ total_cents, damaged }) => ({
      allowed: damaged,
      amount_cents: total_cents,
      rule: 'damaged goods are refunded in full',
    }),
    effects: { produces: ['policy'] },
    risk: { trusted: true },
    rules: { action: 'search_documentation' },
  });

  const refund = tool({
    name: 'adp_payments.issue_refund',
    description: 'Refund an order to its original payment method',
    approvalMode: 'destructive',
    inputSchema: z.object({ order_id: id, amount_cents: cents }),
    outputSchema: z.object({ refund_id: id, order_id: id, amount_cents: cents }),
    execute: (input, { idempotencyKey }) => {
      const refunded = refunds.get(idempotencyKey) ?? { refund_id: `rf_${refunds.size + 1}`, ...input };
      refunds.set(idempotencyKey, refunded);
      return refunded;
    },
    effects: { produces: ['refund'], idempotency: { kind: 'key', retentionMs: 86_400_000 } },
    risk: {
      category: 'payment',
      gates: ['GATE_FINANCE_APPROVAL'],
      trusted: true,
      blastRadius: 'One payment to the customer of the order.',
      rollback: 'Ask the payment provider to cancel it within an hour.',
    },
    rules: { action: 'refund' },
  });

  return { tools: [lookup, policy, refund], refunds };
}
