import { type Ledger, Order, Refund } from './ledger.ts';

/** The ledger over HTTP. Its answers are validated like any other input. */
export function ledgerAt(url: string): Ledger {
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(new URL(path, url), init);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the ledger answered ${response.status}`);
    return await response.json();
  };
  return {
    order: async (orderId, signal) => {
      const found = await ask(`/orders/${encodeURIComponent(orderId)}`, { signal });
      return found === null ? undefined : Order.parse(found);
    },
    book: async (refund, key, signal) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      return Refund.parse(await ask('/refunds', { method: 'POST', headers, body: JSON.stringify(refund), signal }));
    },
    booked: async (key, signal) => {
      const found = await ask(`/refunds?key=${encodeURIComponent(key)}`, { signal });
      return found === null ? undefined : Refund.parse(found);
    },
  };
}
