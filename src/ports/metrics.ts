/** What a number is about, by name. Names and values are few: no run, step or argument is among them. */
export type MetricLabels = Readonly<Record<string, string>>;

/**
 * Where numbers for operators go. It is told after what they count is durable, decides nothing, and must not wait; what
 * it throws is lost, and nothing else comes of it.
 */
export interface Metrics {
  /** A counter goes up. */
  count(name: string, labels: MetricLabels, by: number): void;
  /** A gauge stands at a value from now on. */
  gauge(name: string, labels: MetricLabels, value: number): void;
  /** A histogram has one more value. */
  observe(name: string, labels: MetricLabels, value: number): void;
}

const nothing = (): void => undefined;

/** Nobody is told anything. */
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

/** Every number there is, for whoever has to declare them before they come. */
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

/** The same, whatever becomes of what it is told. */
export function unfailing(metrics: Metrics): Metrics {
  if (metrics === NO_METRICS) return metrics;
  const tell =
    (kind: keyof Metrics): Metrics['count'] =>
    (name, labels, value) => {
      try {
        metrics[kind](name, labels, value);
      } catch {
        // A number that is lost is no reason for a run to fail.
      }
    };
  return { count: tell('count'), gauge: tell('gauge'), observe: tell('observe') };
}
