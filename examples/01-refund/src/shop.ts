import type { BoundTool } from 'ambit';
import { ORDERS, type Refund } from './ledger.ts';
import { supportTools } from './tools.ts';

/** The ledger in memory, for tests of the agent alone. */
export interface Shop {
  readonly tools: readonly BoundTool[];
  /** Refunds by idempotency key. The same key twice gives one refund. */
  readonly refunds: ReadonlyMap<string, Refund>;
}

export function openShop(): Shop {
  const refunds = new Map<string, Refund>();
  const tools = supportTools({
    order: async (orderId) => ORDERS.find(({ order_id }) => order_id === orderId),
    book: async (input, key) => {
      const refund = refunds.get(key) ?? { refund_id: `rf_${refunds.size + 1}`, ...input };
      refunds.set(key, refund);
      return refund;
    },
    booked: async (key) => refunds.get(key),
  });
  return { tools, refunds };
}
