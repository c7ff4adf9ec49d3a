import type { Clock, Timer, Wait } from '../../ports/clock.ts';

export const systemClock: Clock = Object.freeze({ nowMs: () => Date.now() });

/** A longer delay overflows the platform's timer, which would then fire at once. */
const WAIT_MS_MAX = 2_147_483_647;

const delayTo = (atMs: number): number => Math.min(Math.max(0, atMs - Date.now()), WAIT_MS_MAX);

class SystemWait implements Wait {
  readonly #timeout: NodeJS.Timeout;

  constructor(atMs: number, wake: () => void) {
    this.#timeout = setTimeout(wake, delayTo(atMs));
  }

  cancel(): void {
    clearTimeout(this.#timeout);
  }
}

export const systemTimer: Timer = Object.freeze({
  until: (atMs: number, signal: AbortSignal): Promise<void> =>
    new Promise<void>((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const timer = setTimeout(leave, delayTo(atMs));
      signal.addEventListener('abort', leave, { once: true });
    }),
  wake: (atMs: number, wake: () => void): Wait => new SystemWait(atMs, wake),
});
