import type { Json } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { NO_COST, type ToolCall } from '../model/tool.ts';
import type { Journal } from '../ports/journal.ts';
import type { Answer } from './call-tool.ts';

/** What has been done under which key, and what came of it. */
export type Ledger = Pick<Journal, 'effect' | 'blob'>;

/**
 * What a call brought back that is settled already: whoever asks for it again hears the same, and the tool hears
 * nothing. Null where there is nothing to repeat. A ledger that cannot be read is no reason to do it twice.
 */
export async function settledBefore(ledger: Ledger, call: ToolCall): Promise<Answer | null> {
  const { call_id, idempotency_key } = call;
  const observed = { type: 'step_observed', call_id, spent: NO_COST } as const;
  try {
    const row = await ledger.effect(idempotency_key);
    if (row === null || row.state !== 'settled' || row.result === null) return null;
    const raw = JSON.parse(await ledger.blob(row.result)) as Json;
    const detail = 'settled before under this key; the tool was not called again';
    return { event: { ...observed, outcome: 'ok', raw, detail }, blobs: [] };
  } catch (error) {
    const detail = `not sent: whether it was done before cannot be found out: ${reasonOf(error)}`;
    return { event: { ...observed, outcome: 'error', raw: null, detail }, blobs: [] };
  }
}
