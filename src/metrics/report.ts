import type { MeasuredRun, MetricPart } from './measure.ts';
import { type Bound, keepsBound, METRIC_IDS, type MetricId, type MetricUnit } from './metric.ts';
import { RUN_METRICS } from './registry.ts';
import { type GroupKey, type MetricGroup, type MetricTarget, targetFor } from './targets.ts';

/** `no_target`: the metric depends on the workflow, and no target was set. `no_data`: its denominator is zero. */
export type MetricVerdict = 'pass' | 'fail' | 'no_target' | 'no_data';

/** One metric of one group. The value does not depend on the target, and the verdict follows from both. */
export interface MetricResult {
  readonly metric: MetricId;
  readonly title: string;
  readonly unit: MetricUnit;
  readonly parts: readonly MetricPart[];
  readonly target: Bound | null;
  readonly verdict: MetricVerdict;
  /** The value in each period of the report, oldest first; null without data. Empty if the report has one period. */
  readonly series: readonly (number | null)[];
}

export interface MetricGroupReport {
  /** The shared values of the group; empty for a report over all runs. */
  readonly key: GroupKey;
  /** Tasks in the group; the runs of their lanes are not counted. */
  readonly runs: number;
  readonly labelled: number;
  readonly metrics: readonly MetricResult[];
}

/** The metrics of recorded runs. It holds no time of its own, so that the same runs give the same report. */
export interface MetricsReport {
  readonly runs: number;
  /** The end of the first and of the last run; null without runs. */
  readonly from: number | null;
  readonly to: number | null;
  readonly groups: readonly MetricGroupReport[];
}

export interface ReportOptions {
  /** Reports each agent, tenant, risk class or intent by itself. */
  readonly by?: MetricGroup;
  /** The values that the query already fixed, for targets of a part of the runs. */
  readonly fixed?: GroupKey;
  readonly targets?: readonly MetricTarget[];
  /** Number of periods of each series; 1 by default. */
  readonly periods?: number;
}

export function reportMetrics(runs: readonly MeasuredRun[], options: ReportOptions = {}): MetricsReport {
  const { by, fixed = {} } = options;
  const ends = runs.map(({ facts }) => facts.ended_at);
  const from = ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b));
  const to = ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b));
  const span = { from: from ?? 0, to: to ?? 0, periods: options.periods ?? 1 };
  const groups: MetricGroupReport[] =
    by === undefined
      ? [groupReport(runs, fixed, options, span)]
      : [...groupsOf(runs, by)].map(([value, ofGroup]) =>
          groupReport(ofGroup, { ...fixed, [by]: value }, options, span),
        );
  return { runs: runs.filter(isTask).length, from, to, groups };
}

const isTask = ({ facts }: MeasuredRun): boolean => facts.parent === null;

/** The groups in alphabetical order. A lane belongs to the group of its task. */
function groupsOf(runs: readonly MeasuredRun[], by: MetricGroup): ReadonlyMap<string, readonly MeasuredRun[]> {
  const byId = new Map(runs.map((run) => [run.facts.run_id, run]));
  const taskOf = (run: MeasuredRun): MeasuredRun => {
    const above = run.facts.parent === null ? undefined : byId.get(run.facts.parent);
    return above === undefined ? run : taskOf(above);
  };
  const groups = new Map<string, MeasuredRun[]>();
  for (const run of runs) {
    const value = taskOf(run).facts[by];
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [run]);
    else group.push(run);
  }
  return new Map([...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly periods: number;
}

function groupReport(
  all: readonly MeasuredRun[],
  key: GroupKey,
  { targets = [] }: ReportOptions,
  span: Span,
): MetricGroupReport {
  const tasks = all.filter(isTask);
  const periods = span.periods === 1 ? [] : inPeriods(all, span);
  const metrics = METRIC_IDS.map((metric): MetricResult => {
    const { title, unit, measure } = RUN_METRICS[metric];
    const parts = measure({ tasks, all });
    const target = targetFor(metric, key, targets);
    const series = periods.map((ofPeriod) => measure(ofPeriod)[0]?.value ?? null);
    return { metric, title, unit, parts, target, verdict: verdictOf(parts, target), series };
  });
  return { key, runs: tasks.length, labelled: tasks.filter(({ label }) => label !== null).length, metrics };
}

/** Every part has to keep the target. A part without data leaves the verdict to the others. */
function verdictOf(parts: readonly MetricPart[], target: Bound | null): MetricVerdict {
  const values = parts.flatMap(({ value }) => (value === null ? [] : [value]));
  if (values.length === 0) return 'no_data';
  if (target === null) return 'no_target';
  return values.every((value) => keepsBound(value, target)) ? 'pass' : 'fail';
}

/** The runs by the period in which they ended. Lanes end before their task, so they may fall into an earlier period. */
function inPeriods(runs: readonly MeasuredRun[], { from, to, periods }: Span): readonly Period[] {
  const length = Math.max(1, (to - from) / periods);
  const found = Array.from({ length: periods }, (): MeasuredRun[] => []);
  for (const run of runs) {
    const place = Math.min(periods - 1, Math.floor((run.facts.ended_at - from) / length));
    found[place]?.push(run);
  }
  return found.map((all) => ({ all, tasks: all.filter(isTask) }));
}

interface Period {
  readonly all: readonly MeasuredRun[];
  readonly tasks: readonly MeasuredRun[];
}
