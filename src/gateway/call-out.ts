import { NO_COST, type ToolCost } from '../model/tool.ts';
import { type DeskAccount, type ModelDesk, NO_MODELS, type OpenDesk } from '../ports/language-model.ts';
import { Recall } from '../ports/recall.ts';
import type { Caller, CallLimits } from '../ports/tools.ts';

/** Who is called for whom, for how long, and what may be spent on models meanwhile. */
interface Terms {
  readonly run: Caller;
  readonly timeoutMs: number;
  readonly cost?: ToolCost;
}

/** What a tool is given for the time of one call. Most ask for neither a signal nor a model, and then there is none. */
export class CallOut implements CallLimits {
  readonly stop: Recall = new Recall();
  readonly timeoutMs: number;
  readonly caller: Caller;
  readonly #openDesk: OpenDesk | undefined;
  readonly #cost: ToolCost;
  #desk: ReturnType<OpenDesk> | null = null;

  constructor(openDesk: OpenDesk | undefined, { timeoutMs, run, cost = NO_COST }: Terms) {
    this.timeoutMs = timeoutMs;
    this.caller = run;
    this.#openDesk = openDesk;
    this.#cost = cost;
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get models(): ModelDesk {
    this.#desk ??= this.#openDesk?.(this.#cost, this.signal) ?? CLOSED;
    return this.#desk.desk;
  }

  /** What was asked of models until now. */
  account(): DeskAccount {
    return this.#desk === null ? NOTHING_ASKED : this.#desk.account();
  }
}

const NOTHING_ASKED: DeskAccount = Object.freeze({
  calls: Object.freeze([]),
  blobs: Object.freeze([]),
  spent: NO_COST,
});

const CLOSED: ReturnType<OpenDesk> = Object.freeze({ desk: NO_MODELS, account: () => NOTHING_ASKED });
