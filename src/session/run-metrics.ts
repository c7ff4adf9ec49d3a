import type { RunState, Turn } from '../kernel/index.ts';
import type { RunEvent } from '../model/events/event.ts';
import { openedGates } from '../model/gate/gate-terms.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { MetricLabels, MetricName, Metrics } from '../ports/metrics.ts';

export interface MetricsDeps {
  readonly metrics: Metrics;
  readonly journal: Pick<Journal, 'gates'>;
  readonly agent: string;
}

/** Called with every turn once it is durable, so each event is counted once. */
export type Counted = (before: RunState, turn: Turn) => void;

/** Counts run events. It reads nothing but the events. */
export function runMetrics({ metrics, journal, agent }: MetricsDeps): Counted {
  return (before, { state, events }) => {
    const tenant = state.id.tenantId;
    let tool = before.current?.tool ?? '';
    for (const event of events) {
      if (event.type === 'step_attempted') tool = event.tool;
      const counters = countersOf({ agent, tenant }, { event, tool, gate: (id) => gateName([before, state], id) });
      for (const counter of counters) metrics.count(...counter, 1);
    }
    const changed = gatesChanged(before, state);
    if (changed.size > 0) void readGates(metrics, journal, tenant, changed).catch(() => undefined);
  };
}

const NO_COUNTERS: readonly Counter[] = [];

interface CountedEvent {
  readonly event: RunEvent;
  readonly tool: string;
  readonly gate: (gateId: string) => string;
}

type Counter = readonly [name: MetricName, labels: MetricLabels];

/** The counters that an event increments; none for most events. */
function countersOf(of: MetricLabels, { event, tool, gate }: CountedEvent): readonly Counter[] {
  switch (event.type) {
    case 'step_refused':
      return [['ambit_refusals_total', { ...of, layer: event.layer, code: event.code }]];
    case 'step_attempted':
      return event.attempt > 1 ? [['ambit_retries_total', { ...of, tool }]] : NO_COUNTERS;
    case 'step_observed':
      return [['ambit_calls_total', { ...of, tool, outcome: event.unsent === true ? 'unsent' : event.outcome }]];
    case 'gate_opened':
      return openedGates(event).map(({ name }) => [
        'ambit_gates_opened_total',
        { ...of, gate: name, kind: event.gate_kind },
      ]);
    case 'gate_decided':
      return (event.gates ?? [gate(event.gate_id)]).map((name) => [
        'ambit_gate_decisions_total',
        { ...of, gate: name, decision: event.decision },
      ]);
    case 'decision_refused':
      return [['ambit_gate_decisions_total', { ...of, gate: gate(event.gate_id ?? ''), decision: 'refused' }]];
    case 'run_terminated':
      return [['ambit_runs_total', { ...of, code: event.code }]];
    default:
      return NO_COUNTERS;
  }
}

/** The name of a request that is or was open, which is that of its first gate; empty for decisions without a gate. */
const gateName = (states: readonly RunState[], gateId: string): string =>
  states.flatMap(({ people }) => people.gates).find((gate) => gate.gateId === gateId)?.name ?? '';

function gatesChanged(before: RunState, state: RunState): ReadonlySet<string> {
  const [was, is] = [before.people.gates, state.people.gates];
  if (was === is) return NONE;
  const without = (these: typeof was, those: typeof was): typeof was =>
    these.filter(({ gateId }) => !those.some((gate) => gate.gateId === gateId));
  return new Set([...without(was, is), ...without(is, was)].map(({ name }) => name));
}

const NONE: ReadonlySet<string> = new Set();

/** Reads the number of open gates of all processes from the store, when a gate opened or closed here. */
async function readGates(
  metrics: Metrics,
  journal: MetricsDeps['journal'],
  tenant: string,
  names: ReadonlySet<string>,
): Promise<void> {
  for (const name of names) {
    const open = await journal.gates({ tenant, name, statuses: ['open'] });
    metrics.gauge('ambit_gates_open', { tenant, gate: name }, open.length);
  }
}
