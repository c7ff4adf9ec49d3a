import type { ModelCall } from '../../model/budget/model-call.ts';
import { costAt, type ModelPrice, type TokenUsage } from '../../model/budget/model-price.ts';
import type { Blob } from '../../model/json/blob.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { ModelAccount, ModelProfile, Models, ReportedUsage } from '../../ports/model/language-model.ts';

/**
 * The most that one request to a profile may cost, whichever of its models answers. A role reserves this per question;
 * retries are paid from the unused rest.
 */
export function maxCost(profile: ModelProfile, inputTokens: number): ToolCost {
  const { model, price, fallbacks, parameters } = profile;
  const usage = { input_tokens: inputTokens, output_tokens: parameters.outputTokensMax };
  const prices = [price ?? ownPrice(model), ...fallbacks.map(ownPrice)];
  const microusd = Math.max(...prices.map((each) => (each === null ? 0 : costAt(each, usage).microusd)));
  return { ...usage, microusd };
}

/** The price in the profile or the model. Prices from the price table are looked up when the agent is assembled. */
const ownPrice = (named: ModelProfile['fallbacks'][number]): ModelPrice | null =>
  'price' in named ? (named.price ?? null) : null;

/** Reported token counts are capped here, so that sums stay exact integers. */
const TOKENS_MAX = 1e12;

/** The usage charged for a request: the provider's figures, or estimates for those it does not report. */
export interface Charged {
  readonly usage: TokenUsage;
  readonly measured: boolean;
}

/** `reported` is null if the request used nothing; `text` is the answer. */
export function chargedUsage(
  models: Models,
  inputTokens: number,
  text: string,
  reported: ReportedUsage | null,
): Charged {
  if (reported === null) return { usage: { input_tokens: 0, output_tokens: 0 }, measured: false };
  const input = believed(reported.input_tokens, true);
  const output = believed(reported.output_tokens, text !== '');
  return {
    usage: { input_tokens: input ?? inputTokens, output_tokens: output ?? models.countTokens(text) },
    measured: input !== null && output !== null,
  };
}

/** The reported count, or null if it is unusable. Servers that do not count report zero. */
function believed(reported: number | null, something: boolean): number | null {
  if (reported === null || !(reported >= 0) || (reported === 0 && something)) return null;
  return Math.min(Math.ceil(reported), TOKENS_MAX);
}

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
