import type { BoundTool } from 'ambit';
import { ACCOUNT, APRIL, type Ledger, ORDERS, type Refund } from './ledger.ts';
import { supportTools } from './tools.ts';

/** The ledger in memory, for tests of the agent alone. */
export interface Shop {
  readonly ledger: Ledger;
  /** The tools of the support agent. */
  readonly tools: readonly BoundTool[];
  /** Refunds by idempotency key. The same key twice gives one refund. */
  readonly refunds: ReadonlyMap<string, Refund>;
}

export function openShop(): Shop {
  const refunds = new Map<string, Refund>();
  const ledger: Ledger = {
    order: async (orderId) => ORDERS.find(({ order_id }) => order_id === orderId),
    account: async (customerId) => (customerId === ACCOUNT.customer_id ? ACCOUNT : undefined),
    payments: async (customerId, month) =>
      customerId === ACCOUNT.customer_id && month === APRIL.month ? APRIL : undefined,
    book: async (input, key) => {
      const number = refunds.size + 1;
      const refund = refunds.get(key) ?? { refund_id: `rf_${number}`, ...input, currency: 'EUR', status: 'refunded' };
      refunds.set(key, refund);
      return refund;
    },
    booked: async (key) => refunds.get(key),
  };
  return { ledger, tools: supportTools(ledger), refunds };
}
