/** Waiting, as something that can be asked for. A simulated timer moves its own clock instead. */
export interface Timer {
  /** Resolves at that instant, or as soon as the signal is raised. Never rejects. */
  until(atMs: number, signal: AbortSignal): Promise<void>;
}
