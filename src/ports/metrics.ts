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
    help: 'Ended runs, by terminal code.',
  },
  ambit_calls_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'tool', 'outcome'],
    help: 'Recorded tool calls, by outcome. unsent: the gateway did not send the call.',
  },
  ambit_call_duration_seconds: {
    kind: 'histogram',
    labels: ['tenant', 'tool', 'outcome'],
    help: 'Response times of tools, including probes.',
  },
  ambit_retries_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'tool'],
    help: 'Calls repeated after a failure.',
  },
  ambit_refusals_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'layer', 'code'],
    help: 'Calls that a gateway layer refused, by layer and reason.',
  },
  ambit_gates_opened_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'gate', 'kind'],
    help: 'Gates opened for a person to decide.',
  },
  ambit_gate_decisions_total: {
    kind: 'counter',
    labels: ['agent', 'tenant', 'gate', 'decision'],
    help: 'Decisions of people at gates. refused: the person was not allowed to decide.',
  },
  ambit_gates_open: {
    kind: 'gauge',
    labels: ['tenant', 'gate'],
    help: 'Open requests for approval of all processes, by their first gate, counted when one last opened or closed in this process.',
  },
  ambit_breaker_state: {
    kind: 'gauge',
    labels: ['tenant', 'tool'],
    help: 'State of the circuit breaker of a tool: 0 closed (calls are sent), 1 half open, 2 open (calls are blocked).',
  },
  ambit_breaker_changes_total: {
    kind: 'counter',
    labels: ['tenant', 'tool', 'state'],
    help: 'Changes of circuit breakers to open, half open or closed.',
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
