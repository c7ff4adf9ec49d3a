import type { EffectOf } from '../../../model/events/effect.ts';
import type { EventBody } from '../../../model/events/event.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { NO_COST, type ToolCall, type ToolCost, type ToolOutcome, type ToolSpec } from '../../../model/tool/tool.ts';
import type { Prng } from '../prng.ts';
import { toolShape } from '../random-tools.ts';
import { hostileFields, overspending, randomFields, randomSpending, rubbish } from './answers.ts';

/** A call that was really sent. */
export interface Dispatched {
  readonly call: ToolCall;
  readonly spec: ToolSpec;
  readonly at: number;
  /** Number of frames in the journal when it was sent. */
  readonly seq: number;
}

/** All calls and effects as recorded by the tools, independent of the kernel. */
export interface ToolLedger {
  readonly dispatches: readonly Dispatched[];
  /** The dispatches that had an effect, by idempotency key. */
  readonly effects: ReadonlyMap<string, readonly Dispatched[]>;
}

/** The outcome of one dispatch. */
export interface ToolReply {
  readonly answer: { readonly at: number; readonly body: EventBody };
  /** Late or repeated answers. */
  readonly strays: readonly { readonly at: number; readonly body: EventBody }[];
}

/** The real time, and the clock offset of the machine that sends the call. */
export interface MachineClock {
  readonly now: number;
  readonly offset: number;
}

export interface ToolWorld {
  readonly ledger: ToolLedger;
  dispatch(effect: EffectOf<'call_tool'>, clock: MachineClock, seq: number): ToolReply;
  /** The result of a probe. It may fail or come too late, and a refused one sees nothing; findings are always true. */
  look(effect: Look, clock: MachineClock, refused: string | null): ToolReply['answer'];
}

type Look = EffectOf<'reconcile_call'> | EffectOf<'probe_step'>;

/** Largest difference between two clocks. A tool uses its own clock, and keeps keys this much longer than promised. */
export const CLOCK_SKEW_MAX_MS = 5_000;

/** Faults that leave the effect in doubt are the most frequent, because they are the hardest for a run. */
const FAULTS = [
  'error',
  'error_after_effect',
  'error_after_effect',
  'timeout',
  'timeout_after_effect',
  'timeout_after_effect',
  'timeout_after_effect',
  'late',
  'malformed',
  'malformed_as_ok',
  'empty',
  'denied',
  'duplicate',
  'overspend',
  'hostile',
  'chatty',
] as const;
type Mishap = (typeof FAULTS)[number] | 'none';

const WITHOUT_EFFECT: ReadonlySet<Mishap> = new Set(['error', 'timeout', 'denied']);

/** Tools with random failures, delays and garbage. Only they know whether a call had its effect. */
export function toolWorld(prng: Prng, specs: ReadonlyMap<string, ToolSpec>, fault: number): ToolWorld {
  const dispatches: Dispatched[] = [];
  const effects = new Map<string, Dispatched[]>();
  const results = new Map<string, Json>();

  const haveEffect = (dispatched: Dispatched): void => {
    const { spec, call, at } = dispatched;
    if (!spec.side_effect || spec.idempotency.kind === 'natural') return;
    const before = effects.get(call.idempotency_key) ?? [];
    const last = before.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    const absorbed = spec.idempotency.kind === 'key' && at < last + spec.idempotency.retention_ms + CLOCK_SKEW_MAX_MS;
    if (!absorbed) effects.set(call.idempotency_key, [...before, dispatched]);
  };

  return {
    ledger: { dispatches, effects },
    dispatch: ({ call, timeout_ms, not_before, dispatch_before }, { now, offset }, seq) => {
      const at = Math.max(now, not_before - offset);
      const spec = specs.get(call.tool);
      if (spec === undefined || at + offset > dispatch_before) {
        return { answer: { at, body: observed(call, 'error', null, NO_COST, 'not sent') }, strays: [] };
      }
      const dispatched: Dispatched = { call, spec, at, seq };
      dispatches.push(dispatched);
      const mishap = prng.chance(fault) ? prng.pick(FAULTS) : 'none';
      const answersAt = at + prng.int(1, Math.max(1, Math.floor(timeout_ms / 2)));
      if (!WITHOUT_EFFECT.has(mishap)) haveEffect(dispatched);
      const raw = results.get(call.idempotency_key) ?? randomFields(prng, toolShape(call.tool)?.output ?? {});
      if (spec.idempotency.kind === 'key' || spec.probes?.reconcile !== undefined) {
        results.set(call.idempotency_key, raw);
      }
      return reply(prng, { call, spec, mishap, answersAt, timeoutAt: at + timeout_ms, raw });
    },
    look: (effect, { now, offset }, refused) => {
      const { call, probe } = effect;
      const at = Math.max(now, effect.kind === 'reconcile_call' ? effect.not_before - offset : 0) + prng.int(1, 500);
      const blind = prng.chance(fault / 2) || refused !== null;
      const happened = effects.has(call.idempotency_key);
      const about = {
        call_id: call.call_id,
        probe,
        spent: NO_COST,
        detail: refused ?? (blind ? 'the probe failed' : ''),
      };
      if (effect.kind === 'probe_step') {
        const as_expected = !blind && !prng.chance(fault / 4);
        return { at, body: { type: 'step_probed', ...about, as_expected, raw: null } };
      }
      const finding = blind ? 'unknown' : happened ? 'happened' : 'did_not_happen';
      const raw = happened ? (results.get(call.idempotency_key) ?? null) : null;
      return { at, body: { type: 'call_reconciled', ...about, finding, raw } };
    },
  };
}

interface Situation {
  readonly call: ToolCall;
  readonly spec: ToolSpec;
  readonly mishap: Mishap;
  readonly answersAt: number;
  readonly timeoutAt: number;
  readonly raw: Json;
}

function reply(prng: Prng, { call, spec, mishap, answersAt, timeoutAt, raw }: Situation): ToolReply {
  const spent = randomSpending(prng, spec.cost);
  const good = observed(call, 'ok', raw, spent);
  const timeout = { at: timeoutAt, body: observed(call, 'timeout', null, NO_COST, 'no answer in time') };
  const answer = (body: EventBody): ToolReply => ({ answer: { at: answersAt, body }, strays: [] });
  switch (mishap) {
    case 'error':
    case 'error_after_effect':
      return answer(observed(call, 'error', null, spent, 'the tool failed'));
    case 'timeout':
    case 'timeout_after_effect':
      return { answer: timeout, strays: [] };
    case 'late':
      return { answer: timeout, strays: [{ at: timeoutAt + prng.int(1, 5_000), body: good }] };
    case 'duplicate':
      return { answer: { at: answersAt, body: good }, strays: [{ at: answersAt + prng.int(0, 2_000), body: good }] };
    case 'malformed':
    case 'empty':
    case 'denied':
      return answer(observed(call, mishap, mishap === 'malformed' ? rubbish(prng) : null, spent));
    case 'malformed_as_ok':
      return answer(observed(call, 'ok', rubbish(prng), spent));
    case 'overspend':
      return answer(observed(call, 'ok', raw, overspending(prng, spec.cost)));
    case 'hostile':
      return answer(observed(call, 'ok', hostileFields(prng, toolShape(call.tool)?.output ?? {}), spent));
    case 'chatty':
      return answer(observed(call, 'ok', { ...(raw as JsonObject), aside: 'nobody asked for this' }, spent));
    case 'none':
      return answer(good);
  }
}

function observed(call: ToolCall, outcome: ToolOutcome, raw: Json, spent: ToolCost, detail?: string): EventBody {
  const body = { type: 'step_observed' as const, call_id: call.call_id, outcome, raw, spent };
  return detail === undefined ? body : { ...body, detail };
}
