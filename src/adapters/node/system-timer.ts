import type { Timer } from '../../ports/timer.ts';

/** Longer waits overflow the timer of the platform and would fire at once. */
const WAIT_MS_MAX = 2_147_483_647;

export const systemTimer: Timer = Object.freeze({
  until: (atMs: number, signal: AbortSignal): Promise<void> =>
    new Promise<void>((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const wait = Math.min(Math.max(0, atMs - Date.now()), WAIT_MS_MAX);
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const timer = setTimeout(leave, wait);
      signal.addEventListener('abort', leave, { once: true });
    }),
});
