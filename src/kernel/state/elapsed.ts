import type { RunState } from './run-state.ts';

/** Working time of the run. Time spent waiting for people does not count. */
export function elapsedMs(state: RunState): number {
  const { deadlineAt, suspendedAt } = state.session;
  if (deadlineAt === null || state.budget === null) return 0;
  const workedUntil = suspendedAt ?? state.now;
  return workedUntil - (deadlineAt - state.budget.caps.wall_clock_seconds_max * 1000);
}
