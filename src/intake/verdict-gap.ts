import type { ToolSpec } from '../model/tool.ts';

/** How fast a run can be expected to move. */
export interface Pace {
  /** How long after its intent a call may still be dispatched. */
  readonly dispatchWindowMs: number;
  /** The pause before the first retry; each further one doubles it. */
  readonly retryBaseMs: number;
  readonly plannerTimeoutMs: number;
}

/** The retry policy stops doubling here. */
const DOUBLINGS_MAX = 16;

/**
 * The longest time in which a healthy run may give no sign of life: a plan is made, then the slowest tool uses up
 * every attempt it has, with the pauses in between.
 */
export function longestVerdictGapMs(tools: readonly ToolSpec[], pace: Pace): number {
  const slowest = tools.reduce((longest, tool) => Math.max(longest, longestCallMs(tool, pace)), 0);
  return pace.plannerTimeoutMs + slowest;
}

function longestCallMs(tool: ToolSpec, { dispatchWindowMs, retryBaseMs }: Pace): number {
  let total = dispatchWindowMs + tool.timeout_ms;
  for (let retry = 0; retry < tool.retries_max; retry += 1) {
    total += retryBaseMs * 2 ** Math.min(retry, DOUBLINGS_MAX) + dispatchWindowMs + tool.timeout_ms;
  }
  return total;
}
