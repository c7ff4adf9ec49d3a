import type { Stop } from '../stop.ts';

/** What happens around a run. */
export interface WorldEvents {
  run_reloaded: { readonly writer: string };
  time_passed: Readonly<Record<never, never>>;
  stop_raised: { readonly stop: Stop };
}
