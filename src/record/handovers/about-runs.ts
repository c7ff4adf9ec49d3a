import { z } from 'zod';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import type { JsonObject } from '../../model/json/json.ts';
import type {
  IncidentBundle,
  MetricStream,
  ReplayBundle,
  RunTemplates,
  ScenarioSet,
} from '../../model/record/handovers.ts';
import { RunTrace } from '../../model/record/trace.ts';
import { eventsIn, type FinishedRun, ofType } from './finished-run.ts';

type Point = MetricStream['points'][number];

export function metricStream(run: FinishedRun): MetricStream {
  const sent = new Map<string, EventOf<'step_attempted'>>();
  const points = eventsIn(run).flatMap((event): readonly Point[] => {
    if (event.type === 'step_attempted') sent.set(event.call_id, event);
    return pointsOf(event, sent);
  });
  const end = points.at(-1)?.at ?? 0;
  const spent = Object.entries(run.trace.budget_vector.used).map(
    ([metric, value]): Point => ({ at: end, metric, value, label: null }),
  );
  return { run_id: run.trace.run_id, points: [...points, ...spent] };
}

function pointsOf(event: RunEvent, sent: ReadonlyMap<string, EventOf<'step_attempted'>>): readonly Point[] {
  const { at } = event;
  switch (event.type) {
    case 'plan_verified':
      return [{ at, metric: 'plans_verified', value: 1, label: event.verdict }];
    case 'step_observed': {
      const call = sent.get(event.call_id);
      const latency = { at, metric: 'tool_latency_ms', value: at - (call?.at ?? at), label: call?.tool ?? null };
      return [{ at, metric: 'tool_calls', value: 1, label: event.outcome }, latency];
    }
    case 'step_committed':
      return [{ at, metric: 'steps_committed', value: 1, label: event.source }];
    case 'step_judged':
      return Object.entries(event.scores).map(([name, value]) => ({ at, metric: 'step_score', value, label: name }));
    case 'gate_opened':
      return [{ at, metric: 'gates_opened', value: 1, label: event.name }];
    case 'run_terminated':
      return [{ at, metric: 'runs_ended', value: 1, label: event.code }];
    default:
      return [];
  }
}

export function scenarioSet(run: FinishedRun): ScenarioSet {
  const events = eventsIn(run);
  const sent = new Map(ofType(events, 'step_attempted').map((event) => [event.call_id, event]));
  return {
    run_id: run.trace.run_id,
    goal: run.trace.goal_object,
    proposals: ofType(events, 'plan_proposed').map(({ proposal }) => proposal),
    answers: ofType(events, 'step_observed').flatMap(({ call_id, outcome, raw }) => {
      const call = sent.get(call_id);
      return call === undefined ? [] : [{ tool: call.tool, args_hash: call.args_hash, outcome, raw }];
    }),
    trajectory: run.path,
    terminal_code: run.trace.terminal_code,
  };
}

export function replayBundle({ trace, frames, bundle }: FinishedRun): ReplayBundle {
  const head = frames.at(-1)?.hash ?? 'sha256:';
  const file_base64 = Buffer.from(bundle).toString('base64');
  return { run_id: trace.run_id, frames: frames.length, head, bytes: bundle.length, file_base64 };
}

/** Enough events for a first look at an incident. */
const LAST_EVENTS = 20;

export function incidentBundle(run: FinishedRun): IncidentBundle {
  const events = eventsIn(run);
  const ended = ofType(events, 'run_terminated').at(-1);
  return {
    run_id: run.trace.run_id,
    terminal: { code: run.trace.terminal_code, reason: ended?.reason ?? 'unknown', detail: ended?.detail ?? {} },
    suppressed: ended?.suppressed ?? [],
    faults: events.flatMap((event) => {
      if (event.type !== 'step_refused' && event.type !== 'plan_failed' && event.type !== 'decision_refused') return [];
      return [{ at: event.at, code: event.code, message: event.message }];
    }),
    in_doubt: run.trace.tool_calls.flatMap(({ request_id, observation }) => (observation === null ? [request_id] : [])),
    last: events.slice(-LAST_EVENTS).map(({ at, type }) => ({ at, event: type })),
  };
}

export function runTemplates({ trace, graph }: FinishedRun): RunTemplates {
  const schema = z.toJSONSchema(RunTrace, { unrepresentable: 'any' }) as unknown as JsonObject;
  const trace_schema = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return { run_id: trace.run_id, graph, budget: trace.budget_vector.caps, trace_schema };
}
