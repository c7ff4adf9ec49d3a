import { type BoundTool, tool } from 'ambit';
import { z } from 'zod';
import { Account, type Ledger, Order, Payments, Refund, RefundOrder } from './ledger.ts';

const A_DAY_MS = 86_400_000;

/** The tools of the support agent with their effects and risks. */
export function supportTools(ledger: Ledger): readonly BoundTool[] {
  const lookup = tool({
    name: 'adp_orders.lookup',
    description: 'Look an order up',
    approvalMode: 'read_only',
    inputSchema: Order.pick({ order_id: true }),
    outputSchema: Order,
    execute: ({ order_id }, { signal }) => ledger.order(order_id, signal),
    effects: { produces: ['order', 'account'] },
    conditions: { account_holder: '/holder' },
    risk: { category: 'live_api', trusted: true },
    rules: { action: 'summarize_account' },
  });

  const policy = tool({
    name: 'adp_policy.eval',
    description: 'Say whether the refund policy covers an order',
    approvalMode: 'read_only',
    inputSchema: Order.omit({ delivered: true, holder: true }),
    outputSchema: z.object({ allowed: z.boolean(), amount_cents: z.int().positive(), rule: z.string() }),
    execute: ({ total_cents, damaged }) => ({
      allowed: damaged,
      amount_cents: total_cents,
      rule: 'damaged goods are refunded in full',
    }),
    effects: { produces: ['policy'] },
    risk: { trusted: true },
    rules: { action: 'search_documentation' },
  });

  /** The probe that finds out whether a payment without an answer was booked. */
  const find = tool({
    name: 'adp_payments.find_refund',
    description: 'Find a refund by its idempotency key',
    approvalMode: 'read_only',
    inputSchema: z.object({ idempotency_key: z.string() }),
    outputSchema: Refund,
    execute: ({ idempotency_key }, { signal }) => ledger.booked(idempotency_key, signal),
    risk: { category: 'live_api', trusted: true },
    rules: { action: 'summarize_account' },
  });

  const refund = tool({
    name: 'adp_payments.issue_refund',
    description: 'Refund an order to its original payment method',
    approvalMode: 'destructive',
    inputSchema: RefundOrder,
    outputSchema: Refund,
    execute: (input, { idempotencyKey, signal }) => ledger.book(input, idempotencyKey, signal),
    effects: {
      produces: ['refund'],
      idempotency: { kind: 'key', retentionMs: A_DAY_MS },
      reconcile: { probe: find },
    },
    limits: { timeoutMs: 3_000 },
    risk: {
      category: 'payment',
      gates: ['GATE_FINANCE_APPROVAL'],
      trusted: true,
      blastRadius: 'One payment to the customer of the order.',
      rollback: 'Ask the payment provider to cancel it within an hour.',
    },
    rules: { action: 'refund' },
  });

  return [lookup, policy, refund];
}

/** The tools that answer questions about a customer. They only read. */
export function accountTools(ledger: Ledger): readonly BoundTool[] {
  const account = tool({
    name: 'adp_accounts.lookup',
    description: 'Look up the plan of a customer',
    approvalMode: 'read_only',
    inputSchema: Account.pick({ customer_id: true }),
    outputSchema: Account,
    execute: ({ customer_id }, { signal }) => ledger.account(customer_id, signal),
    effects: { produces: ['account'] },
    risk: { category: 'live_api', trusted: true },
    say: 'You are on the {plan} plan.',
    rules: { action: 'summarize_account' },
  });

  const payments = tool({
    name: 'adp_payments.list',
    description: 'List the payments of a customer in one month, such as 2026-04',
    approvalMode: 'read_only',
    inputSchema: z.object({ customer_id: z.string(), month: z.string().regex(/^\d{4}-\d{2}$/) }),
    outputSchema: Payments,
    execute: ({ customer_id, month }, { signal }) => ledger.payments(customer_id, month, signal),
    effects: { produces: ['payments'] },
    risk: { category: 'live_api', trusted: true },
    say: 'You paid {total_cents} in {month}.',
    rules: { action: 'summarize_account', complete: ['/payments'] },
  });

  return [account, payments];
}
