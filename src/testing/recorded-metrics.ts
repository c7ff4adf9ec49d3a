import type { MetricLabels, Metrics } from '../ports/metrics.ts';

/** A metrics port that records all values for assertions. */
export interface RecordedMetrics extends Metrics {
  /** The sum of a counter over all matching labels. */
  total(name: string, labels?: MetricLabels): number;
  /** The last value of a gauge with matching labels; null if it was never set. */
  level(name: string, labels: MetricLabels): number | null;
  /** The values of a histogram with matching labels, in order. */
  values(name: string, labels?: MetricLabels): readonly number[];
  /** Every metric that was reported, with its last labels. */
  last(): Readonly<Record<string, MetricLabels>>;
}

interface Sample {
  readonly kind: keyof Metrics;
  readonly name: string;
  readonly labels: MetricLabels;
  readonly value: number;
}

/** A test double of the metrics port that records all values. */
export function recordedMetrics(): RecordedMetrics {
  const samples: Sample[] = [];
  const recordAs =
    (kind: keyof Metrics): Metrics['count'] =>
    (name, labels, value) =>
      void samples.push({ kind, name, labels: { ...labels }, value });
  const of = (kind: keyof Metrics, name: string, labels: MetricLabels = {}): readonly number[] =>
    samples
      .filter((each) => each.kind === kind && each.name === name && agrees(each.labels, labels))
      .map(({ value }) => value);
  return {
    count: recordAs('count'),
    gauge: recordAs('gauge'),
    observe: recordAs('observe'),
    total: (name, labels) => of('count', name, labels).reduce((sum, value) => sum + value, 0),
    level: (name, labels) => of('gauge', name, labels).at(-1) ?? null,
    values: (name, labels) => of('observe', name, labels),
    last: () => Object.fromEntries(samples.map(({ name, labels }) => [name, labels])),
  };
}

const agrees = (labels: MetricLabels, wanted: MetricLabels): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);
