import type { Json } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { storedAt } from '../model/stored-answer.ts';
import { NO_COST } from '../model/tool.ts';
import type { Journal } from '../ports/journal.ts';
import type { Answer, Dispatch } from './call-tool.ts';

type Settling = Pick<Dispatch, 'call' | 'run' | 'ruleOn'>;

/** What each run has done under which key, and what came of it. */
export type Ledger = Pick<Journal, 'effect' | 'blob'>;

/**
 * What a call brought back that is settled already in the ledger of the run that makes it: whoever asks for it again
 * hears the same, and the tool hears nothing. Null where there is nothing to repeat. A ledger that cannot be read is no
 * reason to do it twice.
 */
export async function settledBefore(ledger: Ledger, { call, run, ruleOn }: Settling): Promise<Answer | null> {
  const { call_id, idempotency_key } = call;
  const observed = { type: 'step_observed', call_id, spent: NO_COST } as const;
  try {
    const row = await ledger.effect(run.runId, idempotency_key);
    if (row === null || row.state !== 'settled' || row.result === null) return null;
    const raw = JSON.parse(await ledger.blob(row.result)) as Json;
    const detail = 'settled before under this key; the tool was not called again';
    const ruled =
      ruleOn === undefined || storedAt(raw) === null ? {} : { stored: ruleOn(await wholeOf(ledger, raw), raw) };
    return { event: { ...observed, outcome: 'ok', raw, detail, ...ruled }, blobs: [] };
  } catch (error) {
    const detail = `not sent: whether it was done before cannot be found out: ${reasonOf(error)}`;
    return { event: { ...observed, outcome: 'error', raw: null, detail }, blobs: [] };
  }
}

/** A result as its tool gave it, wherever it is kept. */
export async function wholeOf(ledger: Ledger | undefined, result: Json): Promise<Json> {
  const address = storedAt(result);
  if (address === null || ledger === undefined) return result;
  return JSON.parse(await ledger.blob(address as `sha256:${string}`)) as Json;
}
