/** The labels of a metric. Cardinality is low: no run, step or argument appears in them. */
export type MetricLabels = Readonly<Record<string, string>>;

/**
 * The receiver of metrics for operators. It is called after the counted event is durable, decides nothing and must not
 * block. Errors it throws are ignored.
 */
export interface Metrics {
  count(name: string, labels: MetricLabels, by: number): void;
  gauge(name: string, labels: MetricLabels, value: number): void;
  observe(name: string, labels: MetricLabels, value: number): void;
}

const nothing = (): void => undefined;

export const NO_METRICS: Metrics = Object.freeze({ count: nothing, gauge: nothing, observe: nothing });

export interface MetricKind {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

export type MetricName =
  | 'ambit_runs_total'
  | 'ambit_calls_total'
  | 'ambit_call_duration_seconds'
  | 'ambit_retries_total'
  | 'ambit_refusals_total'
  | 'ambit_gates_opened_total'
  | 'ambit_gate_decisions_total'
  | 'ambit_gates_open'
  | 'ambit_breaker_state'
  | 'ambit_breaker_changes_total';

/** All metrics, for receivers that have to declare them in advance. */
export const METRICS: Readonly<Record<MetricName, MetricKind>> = Object.freeze({
  ambit_runs_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'code'],
    help: 'Runs that have ended, by their terminal code.',
  },
  ambit_calls_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'tool', 'outcome'],
    help: 'Calls of tools that are on record, by what came back; unsent where the gateway kept one back.',
  },
  ambit_call_duration_seconds: {
    kind: 'histogram',
    labels: ['tenant', 'tool', 'outcome'],
    help: 'How long tools took to answer, probes included.',
  },
  ambit_retries_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'tool'],
    help: 'Calls that were made again after a failure.',
  },
  ambit_refusals_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'layer', 'code'],
    help: 'Calls that a layer of the gateway has refused, by the layer and its reason.',
  },
  ambit_gates_opened_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'gate', 'kind'],
    help: 'Gates at which a person was asked.',
  },
  ambit_gate_decisions_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'gate', 'decision'],
    help: 'What people decided; refused where it was not theirs to decide.',
  },
  ambit_gates_open: {
    kind: 'gauge',
    labels: ['tenant', 'gate'],
    help: 'Gates that wait for a person, in every process, as of the last that opened or closed in this one.',
  },
  ambit_breaker_state: {
    kind: 'gauge',
    labels: ['tenant', 'tool'],
    help: 'Whether calls of a tool go out: 0 closed, 1 half open, 2 open.',
  },
  ambit_breaker_changes_total: {
    kind: 'counter',
    labels: ['tenant', 'tool', 'state'],
    help: 'Breakers that came to be open, half open or closed.',
  },
});

/** Wraps metrics so that their errors are ignored. */
export function ignoreErrors(metrics: Metrics): Metrics {
  if (metrics === NO_METRICS) return metrics;
  const tell =
    (kind: keyof Metrics): Metrics['count'] =>
    (name, labels, value) => {
      try {
        metrics[kind](name, labels, value);
      } catch {
        // A lost metric must not fail a run.
      }
    };
  return { count: tell('count'), gauge: tell('gauge'), observe: tell('observe') };
}
