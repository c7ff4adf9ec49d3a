import type { MeasuredRun } from '../../../src/metrics/measure.ts';
import type { MetricId } from '../../../src/metrics/metric.ts';
import { type MetricResult, reportMetrics } from '../../../src/metrics/report.ts';
import type { RunFacts } from '../../../src/metrics/run-facts.ts';
import type { MetricTarget } from '../../../src/metrics/targets.ts';
import type { LabelFields } from '../../../src/model/record/run-label.ts';

/** The facts of a run in which nothing happened. */
const NO_FACTS: RunFacts = Object.freeze({
  run_id: 'run_1',
  origin: 'run',
  tenant: 'acme',
  agent: 'worker',
  intent: 'work',
  risk: 'low',
  thread: null,
  depth: 0,
  parent: null,
  started_at: 0,
  ended_at: 0,
  code: 'SUCCESS',
  accepted: true,
  escalated: false,
  plans: { verified: 0, passed: 0 },
  replanned: false,
  steps: { started: 0, completed: 0, retried: 0, recovered: 0 },
  cycles: 0,
  calls: { dispatched: 0, failed: 0, retries: 0 },
  lanes: { returned: 0, accepted: 0 },
  loop_guard_tripped: false,
  moves: { total: 0, illegal: [] },
  over_cap: [],
  cost_usd: 0,
  updates: { total: 0, unverified: [] },
  memory: { written: 0, unsupported: [] },
  decisions: { total: 0, overrides: 0 },
  trace_missing: [],
});

/** A run with these facts, and the label that people gave it. */
export const measured = (facts: Partial<RunFacts> = {}, label: LabelFields | null = null): MeasuredRun => ({
  facts: { ...NO_FACTS, ...facts },
  label,
});

export const times = (
  count: number,
  facts: Partial<RunFacts> = {},
  label: LabelFields | null = null,
): readonly MeasuredRun[] => Array.from({ length: count }, () => measured(facts, label));

/** One metric of a report over all these runs. */
export function metricOf(
  metric: MetricId,
  runs: readonly MeasuredRun[],
  targets: readonly MetricTarget[] = [],
): MetricResult {
  const found = reportMetrics(runs, { targets }).groups[0]?.metrics.find((each) => each.metric === metric);
  if (found === undefined) throw new Error(`no metric ${metric}`);
  return found;
}

/** The only value of a metric with one part. */
export const readValue = (metric: MetricId, runs: readonly MeasuredRun[]): number | null =>
  metricOf(metric, runs).parts[0]?.value ?? null;
