import type { Scores } from '../../model/critic/verdict.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import { isSuccess } from '../../model/fault/terminal-code.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { LaneContext } from '../../model/run/lane.ts';
import { escalationsIn } from '../trace/escalations.ts';
import { answerIn } from '../trace/trace-of.ts';

/** The run that spans are made of; it may be the run of a lane. */
export interface TracedRun {
  readonly runId: string;
  readonly agent: string;
  readonly events: readonly RunEvent[];
}

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** The trace id of a run in the 32 hexadecimal digits of the protocol. */
export function traceIdOf(hash: Hash, traceId: string): string {
  const digits = traceId.replace(/^trace_/, '').replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? digits : hash(traceId).slice(0, TRACE_DIGITS);
}

/** The trace id of a run. The run of a lane has that of its parent. */
const traceOfRun = (events: readonly RunEvent[]): string =>
  events.findLast((event) => event.type === 'goal_received' || event.type === 'run_forked')?.trace_id ?? '';

/**
 * Spans of a run below one root span: planning, verification, execution, scoring, and waiting for people. They are
 * derived from the journal alone, so they are the same each time.
 */
export function runSpans(hash: Hash, run: TracedRun): readonly OtlpSpan[] {
  const { runId, events } = run;
  const traceId = traceIdOf(hash, traceOfRun(events));
  const lane = laneIn(events);
  const root = lane?.span_id ?? hash(`${runId}\nspan`).slice(0, SPAN_DIGITS);
  const periods = [...phasesIn(events), ...callsIn(events), ...waitsIn(events)];
  const below = periods.map(({ what, ...phase }) => ({
    traceId,
    spanId: hash(`${runId}\n${what}`).slice(0, SPAN_DIGITS),
    parentSpanId: root,
    ...spanOf(phase),
  }));
  const above = lane === undefined ? {} : { parentSpanId: lane.parent_span_id };
  return [{ traceId, spanId: root, ...above, ...spanOf(rootPeriod(run)) }, ...below];
}

const laneIn = (events: readonly RunEvent[]): LaneContext | undefined =>
  events.find((event) => event.type === 'goal_received')?.lane;

/** A named period of a run, before it becomes a span. */
interface Period {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The error; null if it did not fail. */
  readonly failed: string | null;
}

/** A period with a key that is unique within the run. */
type Phase = Period & { readonly what: string };

const spanOf = ({ name, from, to, attributes, failed }: Period): Omit<OtlpSpan, 'traceId' | 'spanId'> => ({
  name,
  kind: INTERNAL,
  startTimeUnixNano: nanosOf(from),
  endTimeUnixNano: nanosOf(to),
  attributes: attributesOf(failed === null ? attributes : { ...attributes, 'error.type': failed }),
  status: failed === null ? { code: OK } : { code: ERROR, message: failed },
});

function rootPeriod({ runId, agent, events }: TracedRun): Period {
  const ended = events.find((event) => event.type === 'run_terminated');
  const isGood = ended === undefined || isSuccess(ended.code);
  return {
    name: `invoke_agent ${agent}`,
    from: events[0]?.at ?? 0,
    to: events.at(-1)?.at ?? 0,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'ambit.run_id': runId,
      'ambit.trace_id': traceOfRun(events),
      ...(ended === undefined ? {} : { 'ambit.terminal_code': ended.code }),
    },
    failed: isGood ? null : ended.code,
  };
}

/** Planning, verification and scoring. A plan lasts from the event before it; the others last no time. */
function phasesIn(events: readonly RunEvent[]): readonly Phase[] {
  return events.flatMap((event, place): readonly Phase[] => {
    const { at } = event;
    const what = `${event.type} ${place}`;
    const phase = (
      name: string,
      from: number,
      attributes: Period['attributes'],
      failed: string | null,
    ): readonly Phase[] => [{ what, name, from, to: at, attributes, failed }];
    switch (event.type) {
      case 'plan_proposed':
        return phase('plan', events[place - 1]?.at ?? at, usageOf(event), null);
      case 'plan_failed':
        return phase('plan', events[place - 1]?.at ?? at, usageOf(event), event.code);
      case 'plan_verified':
        return phase(
          'verify plan',
          at,
          { 'ambit.verdict': event.verdict },
          event.verdict === 'ok' ? null : event.verdict,
        );
      case 'step_verified':
        return phase(
          'verify step',
          at,
          { 'gen_ai.tool.call.id': event.call_id },
          event.ok ? null : 'observation_refused',
        );
      case 'step_judged':
        return phase('score step', at, { 'ambit.step_id': event.step_id, ...scored(event.scores) }, null);
      case 'run_judged':
        return phase('score run', at, scored(event.scores), null);
      default:
        return [];
    }
  });
}

const usageOf = ({ spent }: EventOf<'plan_proposed' | 'plan_failed'>): Period['attributes'] => ({
  'gen_ai.usage.input_tokens': spent.input_tokens,
  'gen_ai.usage.output_tokens': spent.output_tokens,
});

const scored = (scores: Scores): Period['attributes'] =>
  Object.fromEntries(Object.entries(scores).map(([name, score]) => [`ambit.score.${name}`, score]));

/** Every call, from sending to its answer. An unanswered call lasts until the last event. */
function callsIn(events: readonly RunEvent[]): readonly Phase[] {
  const calls = new Map<string, Phase>();
  for (const event of events) {
    if (event.type === 'step_attempted') calls.set(event.call_id, sent(event, events.at(-1)?.at ?? event.at));
    const answer = answerIn(event);
    const call = answer === null ? undefined : calls.get(answer.call_id);
    if (answer === null || call === undefined) continue;
    calls.set(answer.call_id, { ...call, to: event.at, failed: answer.status === 'ok' ? null : answer.status });
  }
  return [...calls.values()];
}

function sent({ call_id, tool, step_id, attempt, at }: EventOf<'step_attempted'>, to: number): Phase {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': call_id,
    'ambit.step_id': step_id,
    'ambit.attempt': attempt,
  };
  return { what: `call ${call_id}`, name: `execute_tool ${tool}`, from: at, to, attributes, failed: 'unanswered' };
}

/** Every request to people, from asking to settling. */
function waitsIn(events: readonly RunEvent[]): readonly Phase[] {
  return escalationsIn(events).map(({ request, requested_at, settled_at, outcome }, place) => ({
    what: `wait ${place}`,
    name: request.kind === 'gate' ? `wait for ${request.name}` : `wait for people (${request.kind})`,
    from: requested_at,
    to: settled_at ?? events.at(-1)?.at ?? requested_at,
    attributes: { 'ambit.outcome': String(outcome) },
    failed: null,
  }));
}

/** Spans in OTLP/JSON, as a collector accepts them at `/v1/traces`. */
export interface OtlpTraces {
  readonly resourceSpans: readonly [
    {
      readonly resource: { readonly attributes: readonly OtlpAttribute[] };
      readonly scopeSpans: readonly [
        { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] },
      ];
    },
  ];
}

export interface OtlpSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent for the root span. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: typeof INTERNAL;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: typeof OK | typeof ERROR; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

/** Numbers defined by the protocol. */
const INTERNAL = 1;
const OK = 1;
const ERROR = 2;

const attributesOf = (values: Readonly<Record<string, string | number>>): readonly OtlpAttribute[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: otlpValue(value) }));

function otlpValue(value: string | number): OtlpAttribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds as text, because they exceed the safe integers. */
const nanosOf = (atMs: number): string => String(BigInt(atMs) * 1_000_000n);

export const tracesOf = (spans: readonly OtlpSpan[]): OtlpTraces => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ 'service.name': 'ambit' }) },
      scopeSpans: [{ scope: { name: 'ambit' }, spans }],
    },
  ],
});
