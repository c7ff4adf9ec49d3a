import type { Clock } from '../../ports/clock.ts';

export const systemClock: Clock = Object.freeze({ nowMs: () => Date.now() });
