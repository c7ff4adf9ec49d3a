import { AMOUNT_MAX } from '../../model/budget/budget.ts';
import { Fault } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';
import type { StepInput } from '../../model/tool/step-input.ts';
import { NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { Caller, CallLimits } from '../../ports/bound-tool.ts';
import { Cancellation } from '../../ports/cancellation.ts';
import {
  type ModelAccount,
  type ModelClient,
  NO_MODELS,
  type OpenModelClient,
} from '../../ports/model/language-model.ts';

/** The caller, the inputs, the timeout and the model allowance of one call. */
interface Terms {
  readonly run: Caller;
  readonly inputs?: readonly StepInput[] | undefined;
  readonly timeoutMs: number;
  readonly cost?: ToolCost;
}

/** The limits of one call. Signal and model client are created on first use, because most tools need neither. */
export class ToolCallLimits implements CallLimits {
  readonly stop: Cancellation = new Cancellation();
  readonly timeoutMs: number;
  readonly caller: Caller;
  readonly inputs: readonly StepInput[] | undefined;
  readonly #openModels: OpenModelClient | undefined;
  readonly #cost: ToolCost;
  #models: ReturnType<OpenModelClient> | null = null;
  #gpuMs = 0;

  constructor(openModels: OpenModelClient | undefined, { timeoutMs, run, inputs, cost = NO_COST }: Terms) {
    this.timeoutMs = timeoutMs;
    this.caller = run;
    this.inputs = inputs;
    this.#openModels = openModels;
    this.#cost = cost;
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get models(): ModelClient {
    this.#models ??= this.#openModels?.(this.#cost, this.signal) ?? CLOSED;
    return this.#models.client;
  }

  /** GPU time that the tool has reported so far, in whole milliseconds. */
  get gpuMs(): number {
    return Math.round(this.#gpuMs);
  }

  reportGpuMs(ms: number): void {
    if (ms >= 0 && this.#gpuMs + ms <= AMOUNT_MAX) this.#gpuMs += ms;
    else throw new Fault('input_invalid', `reportGpuMs: ${String(ms)} is not a duration in milliseconds`);
  }

  /** The model calls made so far. */
  account(): ModelAccount {
    return this.#models === null ? NOTHING_ASKED : this.#models.account();
  }
}

const NOTHING_ASKED: ModelAccount = Object.freeze({
  calls: Object.freeze([]),
  blobs: Object.freeze([]),
  spent: NO_COST,
});

const CLOSED: ReturnType<OpenModelClient> = Object.freeze({ client: NO_MODELS, account: () => NOTHING_ASKED });

/** An error before the tool was handed the call. The private field keeps tools from forging one. */
export class NotSentError extends Error {
  readonly #byTheGateway = true;

  constructor(cause: unknown) {
    super(`not sent: ${reasonOf(cause)}`, { cause });
  }

  /** Checks the private field instead of `instanceof`: a thrown proxy may throw when its prototype is read. */
  static is(error: unknown): error is NotSentError {
    return typeof error === 'object' && error !== null && #byTheGateway in error && error.#byTheGateway;
  }
}
