import { tool } from 'ambit';
import { z } from 'zod';

const ORDERS: Readonly<Record<string, { item: string; status: string; arrives: string }>> = {
  ord_881: { item: 'blue mug', status: 'shipped', arrives: '2026-12-03' },
  ord_882: { item: 'desk lamp', status: 'packed', arrives: '2026-12-07' },
};

/** A tool: code, a mode that says what a call may do, and the schemas of its input and its result. */
export const lookUpOrder = tool({
  name: 'orders.lookup',
  description: 'Look up an order: its item, its status and when it arrives',
  approvalMode: 'read_only',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ order_id: z.string(), item: z.string(), status: z.string(), arrives: z.iso.date() }),
  execute: ({ order_id }) => {
    const order = ORDERS[order_id];
    return order === undefined ? undefined : { order_id, ...order };
  },
  risk: { trusted: true },
});
