/**
 * Tells whoever is at work to stop. Most of what is sent comes back by itself, so the signal that the platform knows is
 * made only for those who ask for it: whoever asks too late is given one that is raised already.
 */
export class Recall {
  #raised = false;
  #reason: unknown;
  #controller: AbortController | null = null;
  #heeding: readonly (() => void)[] = NOBODY;

  get raised(): boolean {
    return this.#raised;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#raised) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Once: what is said later changes neither that it was raised nor why. Without a reason it is the platform's own. */
  raise(reason?: unknown): void {
    if (this.#raised) return;
    this.#raised = true;
    this.#reason = reason;
    const heeding = this.#heeding;
    this.#heeding = NOBODY;
    for (const hear of heeding) hear();
    this.#controller?.abort(reason);
  }

  /** Calls `hear` when this is raised, before any signal says so. What is raised already is heard by nobody. */
  heed(hear: () => void): void {
    this.#heeding = this.#heeding === NOBODY ? [hear] : [...this.#heeding, hear];
  }

  ignore(hear: () => void): void {
    this.#heeding = this.#heeding.filter((one) => one !== hear);
  }
}

const NOBODY: readonly (() => void)[] = Object.freeze([]);
