import { z } from 'zod';

const id = z.string().min(1);
const cents = z.int().positive();

export interface Order {
  readonly order_id: string;
  /** The customer who owns the order. */
  readonly holder: string;
  readonly total_cents: number;
  readonly delivered: boolean;
  readonly damaged: boolean;
}
export const Order: z.ZodObject<{
  order_id: z.ZodString;
  holder: z.ZodString;
  total_cents: z.ZodInt;
  delivered: z.ZodBoolean;
  damaged: z.ZodBoolean;
}> = z.object({ order_id: id, holder: id, total_cents: cents, delivered: z.boolean(), damaged: z.boolean() });

export interface Refund {
  readonly refund_id: string;
  readonly order_id: string;
  readonly amount_cents: number;
}
export const Refund: z.ZodObject<{ refund_id: z.ZodString; order_id: z.ZodString; amount_cents: z.ZodInt }> = z.object({
  refund_id: id,
  order_id: id,
  amount_cents: cents,
});

/** The external system that knows orders and moves money. */
export interface Ledger {
  order(orderId: string, signal: AbortSignal): Promise<Order | undefined>;
  /** The same key twice gives one refund. */
  book(refund: Omit<Refund, 'refund_id'>, key: string, signal: AbortSignal): Promise<Refund>;
  booked(key: string, signal: AbortSignal): Promise<Refund | undefined>;
}

/** Orders at the start of the demo. */
export const ORDERS: readonly Order[] = [
  { order_id: 'ord_881', holder: 'customer_ada', total_cents: 4200, delivered: true, damaged: true },
  { order_id: 'ord_882', holder: 'customer_bo', total_cents: 99_000, delivered: true, damaged: false },
];
