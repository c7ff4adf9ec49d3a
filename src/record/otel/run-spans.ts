import type { EventOf, RunEvent } from '../../model/event.ts';
import type { Hash } from '../../model/hash.ts';
import type { LaneSeat } from '../../model/lane.ts';
import type { Scores } from '../../model/verdict.ts';
import { escalationsIn } from '../trace/escalations.ts';
import { answerIn } from '../trace/tool-calls.ts';
import { attributesOf, ERROR, INTERNAL, nanosOf, OK, type OtlpSpan } from './otlp.ts';

/** A run, or the run of a lane, of which spans are told. */
export interface ToldRun {
  readonly runId: string;
  readonly agent: string;
  readonly events: readonly RunEvent[];
}

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** The name that a run's trace has in its records, in the digits that the protocol has for it. */
export function traceIdOf(hash: Hash, traceId: string): string {
  const digits = traceId.replace(/^trace_/, '').replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? digits : hash(traceId).slice(0, TRACE_DIGITS);
}

/** The trace that a run belongs to; the run of a lane belongs to that of its parent. */
const traceOfRun = (events: readonly RunEvent[]): string =>
  events.findLast((event) => event.type === 'goal_received' || event.type === 'run_forked')?.trace_id ?? '';

/**
 * What a run did as spans below one for the whole of it: planning, verifying, executing, scoring, and waiting for people.
 * All of it follows from the journal, so it comes out the same each time, and nothing is measured for it.
 */
export function runSpans(hash: Hash, run: ToldRun): readonly OtlpSpan[] {
  const { runId, events } = run;
  const traceId = traceIdOf(hash, traceOfRun(events));
  const seat = seatIn(events);
  const root = seat?.span_id ?? hash(`${runId}\nspan`).slice(0, SPAN_DIGITS);
  const told = [...phasesIn(events), ...callsIn(events), ...waitsIn(events)];
  const below = told.map(({ what, ...phase }) => ({
    traceId,
    spanId: hash(`${runId}\n${what}`).slice(0, SPAN_DIGITS),
    parentSpanId: root,
    ...spanOf(phase),
  }));
  const above = seat === undefined ? {} : { parentSpanId: seat.parent_span_id };
  return [{ traceId, spanId: root, ...above, ...spanOf(wholeOf(run)) }, ...below];
}

const seatIn = (events: readonly RunEvent[]): LaneSeat | undefined =>
  events.find((event) => event.type === 'goal_received')?.lane;

/** A stretch of a run, before it is a span. */
interface Stretch {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly says: Readonly<Record<string, string | number>>;
  /** Why it is a failure; null where it is none. */
  readonly failed: string | null;
}

/** With what tells it from every other of its run. */
type Phase = Stretch & { readonly what: string };

const spanOf = ({ name, from, to, says, failed }: Stretch): Omit<OtlpSpan, 'traceId' | 'spanId'> => ({
  name,
  kind: INTERNAL,
  startTimeUnixNano: nanosOf(from),
  endTimeUnixNano: nanosOf(to),
  attributes: attributesOf(failed === null ? says : { ...says, 'error.type': failed }),
  status: failed === null ? { code: OK } : { code: ERROR, message: failed },
});

function wholeOf({ runId, agent, events }: ToldRun): Stretch {
  const ended = events.find((event) => event.type === 'run_terminated');
  const isGood = ended === undefined || ended.code === 'SUCCESS' || ended.code === 'PARTIAL_SUCCESS';
  return {
    name: `invoke_agent ${agent}`,
    from: events[0]?.at ?? 0,
    to: events.at(-1)?.at ?? 0,
    says: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'ambit.run_id': runId,
      'ambit.trace_id': traceOfRun(events),
      ...(ended === undefined ? {} : { 'ambit.terminal_code': ended.code }),
    },
    failed: isGood ? null : ended.code,
  };
}

/** What is thought about a run: a plan takes since what happened before it, everything else is of one instant. */
function phasesIn(events: readonly RunEvent[]): readonly Phase[] {
  return events.flatMap((event, place): readonly Phase[] => {
    const { at } = event;
    const what = `${event.type} ${place}`;
    const phase = (name: string, from: number, says: Stretch['says'], failed: string | null): readonly Phase[] => [
      { what, name, from, to: at, says, failed },
    ];
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

const usageOf = ({ spent }: EventOf<'plan_proposed' | 'plan_failed'>): Stretch['says'] => ({
  'gen_ai.usage.input_tokens': spent.input_tokens,
  'gen_ai.usage.output_tokens': spent.output_tokens,
});

const scored = (scores: Scores): Stretch['says'] =>
  Object.fromEntries(Object.entries(scores).map(([name, score]) => [`ambit.score.${name}`, score]));

/** Every call that was sent, up to its answer; one that nobody has heard of again lasts as long as the run. */
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
  const says = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': call_id,
    'ambit.step_id': step_id,
    'ambit.attempt': attempt,
  };
  return { what: `call ${call_id}`, name: `execute_tool ${tool}`, from: at, to, says, failed: 'unanswered' };
}

/** Whatever was asked of people, from the question to the answer. */
function waitsIn(events: readonly RunEvent[]): readonly Phase[] {
  return escalationsIn(events).map(({ request, requested_at, settled_at, outcome }, place) => ({
    what: `wait ${place}`,
    name: request.kind === 'gate' ? `wait for ${request.name}` : `wait for people (${request.kind})`,
    from: requested_at,
    to: settled_at ?? events.at(-1)?.at ?? requested_at,
    says: { 'ambit.outcome': String(outcome) },
    failed: null,
  }));
}
