import type { ModelCall } from '../../model/budget/model-call.ts';
import type { Blob } from '../../model/json/blob.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { ModelAccount } from '../../ports/model/language-model.ts';

export const fitsIn = (most: ToolCost, left: ToolCost): boolean =>
  most.input_tokens <= left.input_tokens && most.output_tokens <= left.output_tokens && most.microusd <= left.microusd;

const minus = (a: ToolCost, b: ToolCost): ToolCost => ({
  input_tokens: a.input_tokens - b.input_tokens,
  output_tokens: a.output_tokens - b.output_tokens,
  microusd: a.microusd - b.microusd,
});

/** A request in flight: its maximum cost, and the record to keep if its answer is never awaited. */
interface Pending {
  readonly most: ToolCost;
  readonly abandoned: ModelCall;
}

/** The requests of one question and their cost. Requests in flight count too, because the provider charges for them. */
export interface ModelLedger {
  keep(blob: Blob): Blob;
  open(pending: Pending): void;
  close(pending: Pending, call: ModelCall): void;
  left(): ToolCost;
  account(): ModelAccount;
}

export function openModelLedger(allowance: ToolCost): ModelLedger {
  const calls: ModelCall[] = [];
  const blobs = new Map<string, Blob>();
  const inFlight = new Set<Pending>();
  const spent = (made: readonly ModelCall[]): ToolCost => made.reduce((sum, call) => addCost(sum, call.spent), NO_COST);
  const reserved = (): ToolCost => [...inFlight].reduce((sum, { most }) => addCost(sum, most), NO_COST);
  const left = (): ToolCost => minus(allowance, addCost(spent(calls), reserved()));
  return {
    left,
    keep: (blob) => {
      blobs.set(blob.address, blob);
      return blob;
    },
    open: (pending) => {
      inFlight.add(pending);
    },
    close: (pending, call) => {
      inFlight.delete(pending);
      calls.push(fitsIn(call.spent, left()) ? call : { ...call, overrun: true });
    },
    account: () => {
      const all = [...calls, ...[...inFlight].map(({ abandoned }) => abandoned)];
      return { calls: all, blobs: [...blobs.values()], spent: spent(all) };
    },
  };
}
