import { Account, type Ledger, Order, Payments, Refund } from './ledger.ts';

/** The ledger over HTTP. Its answers are validated like any other input. */
export function ledgerAt(url: string): Ledger {
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(new URL(path, url), init);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the ledger answered ${response.status}`);
    return await response.json();
  };
  const find = async <T>(shape: { parse(found: unknown): T }, path: string, signal: AbortSignal) => {
    const found = await ask(path, { signal });
    return found === null ? undefined : shape.parse(found);
  };
  const named = encodeURIComponent;
  return {
    order: (orderId, signal) => find(Order, `/orders/${named(orderId)}`, signal),
    account: (customerId, signal) => find(Account, `/accounts/${named(customerId)}`, signal),
    payments: (customerId, month, signal) => find(Payments, `/payments/${named(customerId)}/${named(month)}`, signal),
    book: async (refund, key, signal) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      return Refund.parse(await ask('/refunds', { method: 'POST', headers, body: JSON.stringify(refund), signal }));
    },
    booked: (key, signal) => find(Refund, `/refunds?key=${named(key)}`, signal),
  };
}
