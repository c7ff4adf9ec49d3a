import { guardInput } from '../model/fault/guard-input.ts';
import type { MetricPart } from './measure.ts';
import type { MetricUnit } from './metric.ts';
import { RUN_METRICS } from './registry.ts';
import type { MetricResult, MetricsReport } from './report.ts';

/** One value of a report with its labels. Parts without data have none. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of each metric of a report, over all its groups. */
function samplesOf({ groups }: MetricsReport): ReadonlyMap<MetricResult['metric'], readonly Sample[]> {
  const samples = new Map<MetricResult['metric'], Sample[]>();
  for (const { key, metrics } of groups) {
    for (const { metric, parts } of metrics) {
      const found = samples.get(metric) ?? [];
      samples.set(metric, found);
      found.push(...parts.flatMap((part) => sampleOf(key, part)));
    }
  }
  return samples;
}

function sampleOf(key: Readonly<Record<string, string>>, { name, value }: MetricPart): readonly Sample[] {
  if (value === null) return [];
  return [{ labels: { ...key, ...(name === null ? {} : { part: name }) }, value }];
}

/** A report in the text format of Prometheus: one gauge for each metric. Metrics without data have no sample. */
export const prometheusText: (report: MetricsReport) => string = guardInput('prometheusText', (report) => {
  const lines = [...samplesOf(report)].flatMap(([metric, samples]) => {
    const { title, numerator, denominator, unit } = RUN_METRICS[metric];
    const name = `ambit_run_${metric}${SUFFIXES[unit]}`;
    const help = `${title}: (${numerator}) divided by (${denominator}).`;
    return [
      `# HELP ${name} ${escapeHelp(help)}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
    ];
  });
  const runs = report.groups.map(({ key, runs: count }) => `ambit_run_tasks${labelText(key)} ${count}`);
  const head = ['# HELP ambit_run_tasks Ended tasks in the report.', '# TYPE ambit_run_tasks gauge', ...runs];
  return `${[...head, ...lines].join('\n')}\n`;
});

/** The unit at the end of a name, by the conventions of Prometheus. Shares and counts have none. */
const SUFFIXES: Readonly<Record<MetricUnit, string>> = { share: '', ratio: '', count: '', usd: '_usd', ms: '_ms' };

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function labelText(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  const quoted = entries.map(([name, value]) => `${name}="${escapeHelp(value).replaceAll('"', '\\"')}"`);
  return `{${quoted.join(',')}}`;
}

/** A report as OTLP/JSON, as a collector accepts it at `/v1/metrics`. */
export interface OtlpMetrics {
  readonly resourceMetrics: readonly [
    {
      readonly resource: { readonly attributes: readonly OtlpLabel[] };
      readonly scopeMetrics: readonly [
        { readonly scope: { readonly name: string }; readonly metrics: readonly OtlpGauge[] },
      ];
    },
  ];
}

export interface OtlpGauge {
  readonly name: string;
  readonly description: string;
  /** The unit in UCUM; `1` for a share, a ratio or a count. */
  readonly unit: string;
  readonly gauge: {
    readonly dataPoints: readonly {
      readonly attributes: readonly OtlpLabel[];
      readonly timeUnixNano: string;
      readonly asDouble: number;
    }[];
  };
}

interface OtlpLabel {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

const UCUM: Readonly<Record<MetricUnit, string>> = { share: '1', ratio: '1', count: '1', usd: '{USD}', ms: 'ms' };

/** A report as OTLP metrics. Each value has the time at which the last run of the report ended. */
export const otlpMetrics: (report: MetricsReport) => OtlpMetrics = guardInput('otlpMetrics', (report) => {
  const timeUnixNano = String(BigInt(report.to ?? 0) * 1_000_000n);
  const metrics = [...samplesOf(report)].flatMap(([metric, samples]): readonly OtlpGauge[] => {
    const { title, unit } = RUN_METRICS[metric];
    const dataPoints = samples.map(({ labels, value }) => ({
      attributes: attributesOf(labels),
      timeUnixNano,
      asDouble: value,
    }));
    if (dataPoints.length === 0) return [];
    return [{ name: `ambit.run.${metric}`, description: title, unit: UCUM[unit], gauge: { dataPoints } }];
  });
  const resource = { attributes: attributesOf({ 'service.name': 'ambit' }) };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'ambit' }, metrics }] }] };
});

const attributesOf = (labels: Readonly<Record<string, string>>): readonly OtlpLabel[] =>
  Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }));
