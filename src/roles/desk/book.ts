import type { Blob } from '../../model/blob.ts';
import type { ModelCall } from '../../model/model-call.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool.ts';
import type { DeskAccount } from '../../ports/language-model.ts';
import { fitsIn, minus } from './spending.ts';

/** A request that is under way: the most it may take, and what goes on record if nobody waits for its answer. */
export interface Pending {
  readonly most: ToolCost;
  readonly abandoned: ModelCall;
}

/** What is asked and what it takes. Requests under way are part of it: somebody pays for them, answered or not. */
export interface Book {
  keep(blob: Blob): Blob;
  open(pending: Pending): void;
  close(pending: Pending, call: ModelCall): void;
  left(): ToolCost;
  account(): DeskAccount;
}

export function openBook(allowance: ToolCost): Book {
  const calls: ModelCall[] = [];
  const blobs = new Map<string, Blob>();
  const underWay = new Set<Pending>();
  const spent = (made: readonly ModelCall[]): ToolCost => made.reduce((sum, call) => addCost(sum, call.spent), NO_COST);
  const setAside = (): ToolCost => [...underWay].reduce((sum, { most }) => addCost(sum, most), NO_COST);
  const left = (): ToolCost => minus(allowance, addCost(spent(calls), setAside()));
  return {
    left,
    keep: (blob) => {
      blobs.set(blob.address, blob);
      return blob;
    },
    open: (pending) => {
      underWay.add(pending);
    },
    close: (pending, call) => {
      underWay.delete(pending);
      calls.push(fitsIn(call.spent, left()) ? call : { ...call, overrun: true });
    },
    account: () => {
      const all = [...calls, ...[...underWay].map(({ abandoned }) => abandoned)];
      return { calls: all, blobs: [...blobs.values()], spent: spent(all) };
    },
  };
}
