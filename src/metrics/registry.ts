import { guardMethods } from '../model/fault/guard-input.ts';
import { LOOP_METRICS } from './loop-metrics.ts';
import type { Metric, MetricId } from './metric.ts';
import { REPORT_METRICS } from './report-metrics.ts';

/** Every metric of recorded runs, in the order of reports. */
export const RUN_METRICS: Readonly<Record<MetricId, Metric>> = guardMethods('RUN_METRICS', {
  ...REPORT_METRICS,
  ...LOOP_METRICS,
});
