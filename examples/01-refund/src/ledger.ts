import { z } from 'zod';

const id = z.string().min(1);
const cents = z.int().positive();
const currency = z.literal('EUR');

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

export interface Account {
  readonly customer_id: string;
  readonly plan: string;
}
export const Account: z.ZodObject<{ customer_id: z.ZodString; plan: z.ZodString }> = z.object({
  customer_id: id,
  plan: z.string(),
});

/** All payments of a customer in one month. */
export interface Payments {
  readonly month: string;
  readonly total_cents: number;
  readonly currency: 'EUR';
  readonly payments: readonly {
    readonly payment_id: string;
    readonly amount_cents: number;
    readonly paid_on: string;
  }[];
}
export const Payments: z.ZodType<Payments> = z.object({
  month: z.string(),
  total_cents: cents,
  currency,
  payments: z.array(z.object({ payment_id: id, amount_cents: cents, paid_on: z.string() })),
});

export interface Refund {
  readonly refund_id: string;
  readonly order_id: string;
  readonly amount_cents: number;
  readonly currency: 'EUR';
  readonly status: 'refunded';
}
export const Refund: z.ZodObject<{
  refund_id: z.ZodString;
  order_id: z.ZodString;
  amount_cents: z.ZodInt;
  currency: z.ZodLiteral<'EUR'>;
  status: z.ZodLiteral<'refunded'>;
}> = z.object({ refund_id: id, order_id: id, amount_cents: cents, currency, status: z.literal('refunded') });

/** The parts of a refund that a caller chooses. */
export type RefundOrder = Pick<Refund, 'order_id' | 'amount_cents'>;
export const RefundOrder: z.ZodObject<{ order_id: z.ZodString; amount_cents: z.ZodInt }> = Refund.pick({
  order_id: true,
  amount_cents: true,
});

/** The external system that knows customers and orders, and moves money. */
export interface Ledger {
  order(orderId: string, signal: AbortSignal): Promise<Order | undefined>;
  account(customerId: string, signal: AbortSignal): Promise<Account | undefined>;
  payments(customerId: string, month: string, signal: AbortSignal): Promise<Payments | undefined>;
  /** The same key twice gives one refund. */
  book(refund: RefundOrder, key: string, signal: AbortSignal): Promise<Refund>;
  booked(key: string, signal: AbortSignal): Promise<Refund | undefined>;
}

/** Orders at the start of the demo. */
export const ORDERS: readonly Order[] = [
  { order_id: 'ord_881', holder: 'customer_ada', total_cents: 4200, delivered: true, damaged: true },
  { order_id: 'ord_882', holder: 'customer_bo', total_cents: 99_000, delivered: true, damaged: false },
];
export const ACCOUNT: Account = { customer_id: 'customer_ada', plan: 'Pro' };
/** The payments of this customer: the plan and order ord_881. */
export const APRIL: Payments = {
  month: '2026-04',
  total_cents: 6190,
  currency: 'EUR',
  payments: [
    { payment_id: 'pay_310', amount_cents: 1990, paid_on: '2026-04-03' },
    { payment_id: 'pay_322', amount_cents: 4200, paid_on: '2026-04-21' },
  ],
};

/** Everything that the ledger knows at the start, by its path. */
export const RECORDS: ReadonlyMap<string, object> = new Map<string, object>([
  ...ORDERS.map((order) => [`/orders/${order.order_id}`, order] as const),
  [`/accounts/${ACCOUNT.customer_id}`, ACCOUNT],
  [`/payments/${ACCOUNT.customer_id}/${APRIL.month}`, APRIL],
]);
