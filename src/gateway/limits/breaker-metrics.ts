import type { Metrics } from '../../ports/metrics.ts';
import type { BreakerChanged, BreakerState } from './breakers.ts';

const LEVELS: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

/** Shows where each breaker stands, and counts how often it came there. */
export const breakerMetrics =
  (metrics: Metrics): BreakerChanged =>
  (tool, tenant, state) => {
    metrics.gauge('ambit_breaker_state', { tenant, tool }, LEVELS[state]);
    metrics.count('ambit_breaker_changes_total', { tenant, tool, state }, 1);
  };
