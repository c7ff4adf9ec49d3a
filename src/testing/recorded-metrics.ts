import type { MetricLabels, Metrics } from '../ports/metrics.ts';

/** Everything that was counted, to look at. */
export interface RecordedMetrics extends Metrics {
  /** How far a counter has come over all its labels that agree with these. */
  total(name: string, labels?: MetricLabels): number;
  /** What a gauge was set to last, under labels that agree with these; null where it never was. */
  level(name: string, labels: MetricLabels): number | null;
  /** What a histogram was given, in order, under labels that agree with these. */
  values(name: string, labels?: MetricLabels): readonly number[];
  /** Every name that was told anything, with the labels of the last time. */
  last(): Readonly<Record<string, MetricLabels>>;
}

interface Told {
  readonly kind: keyof Metrics;
  readonly name: string;
  readonly labels: MetricLabels;
  readonly value: number;
}

/** A double of the port that remembers what it is told. */
export function recordedMetrics(): RecordedMetrics {
  const told: Told[] = [];
  const hear =
    (kind: keyof Metrics): Metrics['count'] =>
    (name, labels, value) =>
      void told.push({ kind, name, labels: { ...labels }, value });
  const of = (kind: keyof Metrics, name: string, labels: MetricLabels = {}): readonly number[] =>
    told
      .filter((each) => each.kind === kind && each.name === name && agrees(each.labels, labels))
      .map(({ value }) => value);
  return {
    count: hear('count'),
    gauge: hear('gauge'),
    observe: hear('observe'),
    total: (name, labels) => of('count', name, labels).reduce((sum, value) => sum + value, 0),
    level: (name, labels) => of('gauge', name, labels).at(-1) ?? null,
    values: (name, labels) => of('observe', name, labels),
    last: () => Object.fromEntries(told.map(({ name, labels }) => [name, labels])),
  };
}

const agrees = (labels: MetricLabels, wanted: MetricLabels): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);
