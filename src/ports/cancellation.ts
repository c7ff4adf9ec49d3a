/**
 * Cancels work in flight. Most calls finish without being cancelled, so the AbortSignal is created only when it is
 * first read; if that happens after the raise, it is already aborted.
 */
export class Cancellation {
  #raised = false;
  #reason: unknown;
  #controller: AbortController | null = null;
  #listeners: readonly (() => void)[] = NO_LISTENERS;

  get isCancelled(): boolean {
    return this.#raised;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#raised) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first call counts, with its reason. Without one, the signal has the platform's default reason. */
  cancel(reason?: unknown): void {
    if (this.#raised) return;
    this.#raised = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = NO_LISTENERS;
    for (const listener of listeners) listener();
    this.#controller?.abort(reason);
  }

  /** Calls `listener` on the raise, before the signal aborts. A listener added after the raise is never called. */
  addListener(listener: () => void): void {
    this.#listeners = this.#listeners === NO_LISTENERS ? [listener] : [...this.#listeners, listener];
  }

  removeListener(listener: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }
}

const NO_LISTENERS: readonly (() => void)[] = Object.freeze([]);
